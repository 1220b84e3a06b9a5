/// Amounts that select the test gateway's answer to a sale or an authorisation.
///
/// Source: BridgePay, "Test Dollar Amount Ranges". Beyond Pay's copy of the table approves 1.00, which BridgePay's
/// denies, and omits 9000.00 and more. BridgePay runs the gateway, so its table is used.
package struct BridgePayTestAmount: Sendable, Hashable {
    /// US cents.
    package let cents: ClosedRange<Int64>
    /// The code of the gateway message; nil if the gateway fails before it has one.
    package let messageCode: String?
    /// `gatewayResult`.
    package let result: String
    /// The requested amount minus the approved amount, in cents.
    package let shortfall: Int64

    private init(_ cents: ClosedRange<Int64>, _ messageCode: String?, _ result: String, shortfall: Int64 = 0) {
        self.cents = cents
        self.messageCode = messageCode
        self.result = result
        self.shortfall = shortfall
    }

    package static let all: [BridgePayTestAmount] = [
        .init(1...498, "D01", "30032"),
        .init(499...499, nil, "20002"),
        .init(500...6_999, "A01", "00000"),
        .init(7_000...7_999, "D05", "30023"),
        .init(8_000...8_999, "D10", "30037"),
        .init(9_000...9_999, "D30", "30072"),
        .init(10_000...10_999, "D04", "30034"),
        .init(11_000...11_999, "D08", "30032"),
        .init(12_000...12_999, "D03", "30033"),
        .init(13_000...13_999, "E02", "30022"),
        .init(14_000...14_999, "E09", "20003"),
        .init(15_000...15_999, "A05", "00001", shortfall: 1_000),
        .init(17_000...18_199, "A01", "00000"),
        .init(18_200...199_999, "D01", "30032"),
        .init(900_000...999_999, "A01", "00000"),
    ]

    /// The row of an amount; nil for amounts that are not in the table.
    ///
    /// - Parameter cents: US cents, not below zero.
    package static func row(of cents: Int64) -> BridgePayTestAmount? { all.first { $0.cents.contains(cents) } }
}
