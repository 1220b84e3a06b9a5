/// The behaviour of the Heft SDK's simulator by amount. Sources: Handpoint Heft SDK for iOS 2.6.0, simulator; amounts
/// from 8000 as in later simulators.
enum HandpointSimulatedAmounts {
    enum Behaviour: Sendable, Hashable {
        case approved, declined, cancelled, signature
        /// The app receives a time-out; the reader authorised the sale.
        case lostApproval
        /// The app receives a communication error; the reader declined the sale.
        case lostDecline
    }

    /// - Parameter amount: The requested amount, in minor units.
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
