/// What the Heft SDK's simulator does with an amount. Sources: Handpoint Heft SDK for iOS 2.6.0, simulator; amounts from
/// 8000 on as later simulators have them.
enum HandpointSimulatedAmounts {
    enum Behaviour: Sendable, Hashable {
        case approved, declined, cancelled, signature
        /// The app hears of a time-out; the reader has the sale authorised.
        case lostApproval
        /// The app hears of an error in the communication; the reader has the sale declined.
        case lostDecline
    }

    /// - Parameter amount: What the app asks for, in minor units.
    static func behaviour(_ amount: Int64) -> Behaviour {
        switch amount {
        case 1000: .declined
        case 2000: .cancelled
        case 3000: .signature
        case 8000...8099, 9001...9005: .lostApproval
        case 8100...9999: .lostDecline
        default: .approved
        }
    }
}
