/// The result of the SDK's simulator for a sale or refund, by amount.
///
/// Sources: Handpoint Heft SDK for iOS 2.6.0, simulator; the SDK's simulator for amounts from 8000.
package enum HandpointSimulatedSale: Sendable, Hashable {
    case approved
    case declined
    case cancelledByUser
    case signatureRequested
    /// The sale is authorised, and the app receives a time-out after this many seconds.
    case timedOut(HandpointException, afterSeconds: Int)
    /// The app receives an error; the sale is authorised or declined.
    case interrupted(HandpointException, isAuthorised: Bool)

    /// - Parameter amount: In minor units.
    package init(amount: Int64) {
        switch amount {
        case 1000: self = .declined
        case 2000: self = .cancelledByUser
        case 3000: self = .signatureRequested
        case 8000...8099: self = .timedOut(.responseTimeout, afterSeconds: Int(amount - 8000))
        case 9001: self = .timedOut(.acknowledgementTimeout, afterSeconds: 20)
        case 9002: self = .timedOut(.responseTimeout, afterSeconds: 15)
        case 9003: self = .timedOut(.financeTimeout, afterSeconds: 120)
        case 9004: self = .interrupted(.communication, isAuthorised: true)
        case 9005: self = .interrupted(.connectionBroken, isAuthorised: true)
        case 8100...9999: self = .interrupted(.communication, isAuthorised: false)
        default: self = .approved
        }
    }
}
