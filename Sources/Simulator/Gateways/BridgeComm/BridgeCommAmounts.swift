/// The test gateway's outcome for an amount, and whether its host has the money afterwards.
///
/// Sources: BridgePay, Test Dollar Amount Ranges; if Beyond Pay's copy differs, BridgePay's is used. No page documents
/// which of the errors leave a payment behind: here 4.99 and E02 never reached the host, and the answer of E09 was
/// lost.
struct BridgeCommAmount {
    let outcome: BridgeCommOutcome
    /// The amount in minor units that the host took.
    let approved: Int64
    /// Whether the gateway has a transaction for it.
    let isPosted: Bool

    private init(_ outcome: BridgeCommOutcome, approved: Int64 = 0, isPosted: Bool = true) {
        self.outcome = outcome
        self.approved = approved
        self.isPosted = isPosted
    }

    private static func declined(_ code: String, _ text: String, _ result: String) -> Self {
        Self(BridgeCommOutcome(code, text, result))
    }

    /// A sale or an authorisation on a credit card.
    static func payment(_ cents: Int64) -> Self {
        switch cents {
        case 499: Self(BridgeCommOutcome(nil, "Internal Error", "20002"), isPosted: false)
        case 500...6_999, 17_000...18_199, 900_000...999_999: Self(.approved, approved: cents)
        case 7_000...7_999: Self(.badCard)
        case 8_000...8_999: declined("D10", "Lost Card", "30037")
        case 9_000...9_999: declined("D30", "Call For Authorization", "30072")
        case 10_000...10_999: declined("D04", "Hold Card", "30034")
        case 11_000...11_999: declined("D08", "CSC Mismatch", "30032")
        case 12_000...12_999: declined("D03", "Insufficient Funds", "30033")
        case 13_000...13_999: Self(BridgeCommOutcome("E02", "Network Unavailable", "30022"), isPosted: false)
        case 14_000...14_999: Self(BridgeCommOutcome("E09", "Network Error", "20003"), approved: cents)
        case 15_000...15_999: Self(.partialApproval, approved: cents - 1_000)
        default: Self(.denied)
        }
    }

    /// A payment from a bank account: six notifications of change replace the second range of approvals.
    static func bankAccount(_ cents: Int64) -> Self {
        guard (17_000...18_199).contains(cents) else { return payment(cents) }
        return Self(
            BridgeCommOutcome("C0\((cents - 17_000) / 200 + 1)", "Notification of change", "00000"),
            approved: cents
        )
    }

    /// A credit without an original payment.
    static func credit(_ cents: Int64) -> Self {
        (500...6_999).contains(cents) ? Self(.creditPosted, approved: cents) : Self(.denied)
    }
}
