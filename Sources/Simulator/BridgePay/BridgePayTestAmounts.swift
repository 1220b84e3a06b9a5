/// The answers of BridgePay's test gateway, by amount. Sources: BridgePay, Test Dollar Amount Ranges; Beyond Pay
/// developer pages.
enum BridgePayTestAmounts {
    struct Answer: Sendable, Hashable {
        /// For example `A01`; nil if the gateway sends only a result code.
        var message: String?
        var text: String
        /// `gatewayResult`.
        var result: String

        static let approved = Answer(message: "A01", text: "Approved", result: "00000")
        static let credited = Answer(message: "A02", text: "Credit Posted", result: "00000")
        static let authorizationReversed = Answer(message: "A03", text: "Void Posted", result: "00000")
        static let notUpdated = Answer(message: "A04", text: "No Update", result: "10033")
        static let partlyApproved = Answer(message: "A05", text: "Partial Approval", result: "00001")
        static let voided = Answer(message: "A06", text: "Void Posted", result: "00000")
        static let partlyRefunded = Answer(message: "A08", text: "Partial Refund", result: "00000")
        static let chipDeclined = Answer(message: "D35", text: "Chip Decline", result: "30032")
        static let internalError = Answer(message: nil, text: "Internal Error", result: "20002")

        var isApproval: Bool { message?.first == "A" }
        var isDecline: Bool { message?.first == "D" }

        /// `A01 - Approved`, as the gateway prints it.
        var line: String { message.map { "\($0) - \(text)" } ?? text }
        /// `BridgeCommResponseCode`.
        var responseCode: String { isApproval ? "0" : result == "30032" ? "30032" : "2" }
    }

    /// The answer to a credit card sale of this many cents.
    static func sale(_ cents: Int64) -> Answer {
        switch cents {
        case 499: .internalError
        case 500...6_999, 17_000...18_199, 900_000...999_999: .approved
        case 7_000...7_999: Answer(message: "D05", text: "Invalid Card", result: "30032")
        case 8_000...8_999: Answer(message: "D10", text: "Lost Card", result: "30032")
        case 9_000...9_999: Answer(message: "D30", text: "Call For Authorization", result: "30072")
        case 10_000...10_999: Answer(message: "D04", text: "Hold Card", result: "30034")
        case 11_000...11_999: Answer(message: "D08", text: "CSC Mismatch", result: "30032")
        case 12_000...12_999: Answer(message: "D03", text: "Insufficient Funds", result: "30033")
        case 13_000...13_999: Answer(message: "E02", text: "Network Unavailable", result: "30022")
        case 14_000...14_999: Answer(message: "E09", text: "Network Error", result: "20003")
        case 15_000...15_999: .partlyApproved
        default: Answer(message: "D01", text: "Denied By Customer's Bank", result: "30032")
        }
    }

    /// The approved amount of a partial approval.
    static func approvedPart(of cents: Int64) -> Int64 { cents - 1_000 }

    /// The answer to an unlinked refund of this many cents.
    static func credit(_ cents: Int64) -> Answer {
        (500...6_999).contains(cents) ? .credited : sale(18_200)
    }

    /// Amounts in cents that are declined, covering every decline.
    static let declines = 7_000...12_999
    /// Amounts in cents with an unknown outcome.
    static let troubles = 13_000...14_999
    static let partials = 15_000...15_999
}
