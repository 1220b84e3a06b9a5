import Canonical
import Foundation
import Testing

/// When two holders are one person, and when they are two.
@Suite struct PersonTests {
    private struct Row: Decodable {
        var a: String?
        var b: String?
        var isSamePerson: Bool
        /// Whether both are known persons.
        var isUsable: Bool

        private enum CodingKeys: String, CodingKey {
            case a, b
            case isSamePerson = "same_person"
            case isUsable = "usable"
        }
    }

    /// The expected values were written from the rule, without the code.
    @Test func holdersAreComparedAsExpected() throws {
        let url = try #require(
            Bundle.module.url(forResource: "holders", withExtension: "json", subdirectory: "Expected")
        )
        let rows = try JSONValueDecoder().decode([Row].self, from: JSONValue(parsing: Array(Data(contentsOf: url))))
        #expect(rows.count == 131)
        for row in rows {
            let (a, b) = (Person(row.a), Person(row.b))
            let pair = "\(row.a?.debugDescription ?? "nil") and \(row.b?.debugDescription ?? "nil")"
            #expect((a != nil && b != nil) == row.isUsable, "\(pair)")
            if row.isUsable { #expect((a == b) == row.isSamePerson, "\(pair)") }
            let proposer = KeyHolder(actor: "key:1", holder: row.a)
            let refusal = KeyHolder(actor: "key:2", holder: row.b).refusal(toApproveFor: proposer)
            let expected: KeyHolder.Refusal? =
                row.isUsable ? (row.isSamePerson ? .ownProposal : nil) : .unknownHolder
            #expect(refusal == expected, "\(pair)")
        }
    }

    @Test func oneKeyIsOneOperator() {
        let key = KeyHolder(actor: "key:1", holder: nil)
        #expect(key.refusal(toApproveFor: KeyHolder(actor: "key:1", holder: "bob")) == .ownProposal)
    }

    @Test(
        arguments: [
            (5, [], 5, true), (6, [], 5, false), (1, [4], 5, true), (2, [4], 5, false), (1, [.max], .max, false),
            (1, [-5], 5, false), (-1, [], 5, false), (0, [], 0, true),
        ] as [(Int64, [Int64], Int64, Bool)]
    )
    func sumsHaveALimit(amount: Int64, earlier: [Int64], most: Int64, isAllowed: Bool) {
        #expect(DailySum.allows(amount, after: earlier, most: most) == isAllowed)
    }
}
