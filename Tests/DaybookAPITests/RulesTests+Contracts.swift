extension RulesTests {
    /// - Parameter more: Members after those that a contract must have.
    private static func contract(
        _ more: String = "",
        processor: String = "daybook-csv",
        component: String = "scheme",
        begins: String = "2026-03-02",
        price: String = "2050"
    ) -> String {
        #"{"processor":"\#(processor)","component":"\#(component)","currency":"USD","begins":"\#(begins)","#
            + #""basisPointHundredths":\#(price)\#(more)}"#
    }
    private static func contracts(_ contracts: String...) -> String {
        #"{"contracts":[\#(contracts.joined(separator: ","))]}"#
    }

    /// A member of rules with the largest and smallest values.
    static let contractAtItsBounds =
        #""contracts":["#
        + [
            contract(#","merchant":"M1","brand":"visa","fixed":1000000000000000"#, price: "1000000"),
            contract(#","merchant":"M1","brand":"visa","fixed":0"#, begins: "2000-01-01", price: "0"),
        ].joined(separator: ",") + "]"

    static let refusedContracts: [(rules: String, code: String, pointer: String)] = [
        (contracts(#"{"processor":"daybook-csv"}"#), "invalid-rules", "/contracts/0"),
        (contracts(contract(#","rate":1"#)), "invalid-rules", "/contracts/0"),
        (contracts(contract(begins: "2026-02-30")), "invalid-day", "/contracts/0/begins"),
        (contracts(contract(begins: "2200-01-01")), "invalid-day", "/contracts/0/begins"),
        (contracts(contract(processor: "camt053")), "unknown-processor", "/contracts/0/processor"),
        (contracts(contract(component: "Scheme")), "unknown-component", "/contracts/0/component"),
        (contracts(contract(price: "-1")), "amount-out-of-range", "/contracts/0/basisPointHundredths"),
        (contracts(contract(price: "1000001")), "amount-out-of-range", "/contracts/0/basisPointHundredths"),
        (contracts(contract(price: "20.5")), "amount-out-of-range", "/contracts/0/basisPointHundredths"),
        (contracts(contract(#","fixed":-1"#)), "amount-out-of-range", "/contracts/0/fixed"),
        (contracts(contract().replacing("USD", with: "usd")), "unknown-currency", "/contracts/0/currency"),
        (contracts(contract(#","brand":"Visa""#), contract(#","brand":"VISA""#)), "repeated-entry", "/contracts/1"),
        (contracts(contract(#","brand":"4111111111111111""#)), "card-data", "/contracts/0/brand"),
        (contracts(contract(#","merchant":"4111111111111111""#)), "card-data", "/contracts/0/merchant"),
    ]
}
