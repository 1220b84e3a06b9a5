import Statements
import Testing

/// Details of GRRCN that omit the account type that their summary has. All files are made up.
@Suite struct GRRCNAccountTests {
    private static let bare: [String] = Samples.grrcn.split(separator: "\n").map { line in
        let text = String(line)
        return text.hasPrefix("\"SUMMARY")
            ? text : text.replacing("\"1111111111\",\"002\"", with: "\"1111111111\",\"\"")
    }

    @Test func detailsWithoutAnAccountBelongToTheOnlySummary() throws {
        let expected = try Reading(.amexGRRCN, Samples.grrcn)
        let reading = try Reading(.amexGRRCN, Self.bare.joined(separator: "\n"))
        #expect(reading.controls == expected.controls && reading.failing.isEmpty)
        #expect(reading.notes == expected.notes)
        #expect(reading.control("payment-details")?.computed == 7551)
        let wrong = Self.bare.joined(separator: "\n").replacing("-000000000000150", with: "-000000000000151")
        #expect(Set(try Reading(.amexGRRCN, wrong).failing) == ["payment-adjustments", "payment-details"])
    }

    /// With summaries of two accounts, the account of the details is unknown.
    @Test func detailsWithoutAnAccountAndTwoSummaries() throws {
        var lines = Self.bare
        lines.insert(lines[1].replacing("\"002\"", with: "\"004\""), at: 2)
        let reading = try Reading(.amexGRRCN, lines.joined(separator: "\n"))
        #expect(reading.notes.contains { $0.code == .unchecked && $0.detail.contains("account 002 has no details") })
        #expect(reading.notes.contains { $0.code == .unchecked && $0.detail.contains("details and no SUMMARY") })
    }
}
