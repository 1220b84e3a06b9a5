import Canonical
import Operations
import Tables
import Testing

/// The columns of lists, and the CSV rows they make of items.
@Suite struct ListColumnsTests {
    private let payments: Table

    private static let id = "01970000-0000-7000-8000-000000000001"

    init() throws { payments = try Lists.transactions.request([]).table }

    private let payment: JSONValue = [
        "id": "x",
        "amounts": ["captured": ["value": 1340, "currency": "USD"], "tip": ["value": -5, "currency": "USD"]],
        "breakdown": ["tax": ["value": 7, "currency": "JPY"]], "inDoubt": false,
        "anomalies": [["kind": "a"], ["kind": "b"]], "firstPosition": 9_007_199_254_740_993, "reference": .null,
    ]

    @Test func valuesAreThoseOfTheItem() throws {
        let names =
            "id,captured,captured_decimal,tip_decimal,currency,tax,tax_decimal,in_doubt,anomalies,first_position,reference,due"
        let table = try #require(payments.choosing(names))
        #expect(
            table.row(of: payment) == [
                .text("x"), .number("1340"), .number("13.40"), .number("-0.05"), .text("USD"), .number("7"),
                .number("7"), .text("false"), .text("a b"), .number("9007199254740993"), .absent, .absent,
            ]
        )
        #expect(table.head.map(\.value) == names.split(separator: ",").map { String($0) })
    }

    @Test(arguments: ["", "id,", "id,id", "nothing", "id, version"])
    func columnsThatAreNoneAreRefused(_ names: String) {
        #expect(payments.choosing(names) == nil)
    }

    @Test func everyColumnHasItsOwnNameAndTheShownOnesExist() throws {
        for list in Lists.all {
            var reader = ParameterReader([], path: list.pathExamples)
            let table = try list.request(reading: &reader).table
            let names = table.columns.map(\.name)
            #expect(!names.isEmpty && Set(names).count == names.count, "\(list.name)")
            #expect(Set(list.shown).isSubset(of: names), "\(list.name)")
            #expect(list.shown(of: table).columns.count == (list.shown.isEmpty ? names.count : list.shown.count))
        }
    }

    @Test func idsOfThePathAreRequiredFilters() throws {
        #expect(Lists.members.filterNames == ["batch", "as_of", "as_of_position"])
        let refusal = #expect(throws: Refusal.self) { try Lists.members.request([]) }
        #expect(refusal?.code == "invalid-parameter")
        _ = try Lists.members.request([("batch", Self.id)])
    }

    @Test func aValueOfThePathTakesThePlaceOfAParameter() throws {
        var reader = ParameterReader([("batch", "other")], path: [("batch", Self.id)])
        #expect(try reader.text("batch") == Self.id)
        let refusal = #expect(throws: Refusal.self) { try reader.finish() }
        #expect(refusal?.code == "unknown-parameter")
    }
}
