/// A statement line and its true origin, which a reconciliation must match it with.
package struct MatchTruth: Sendable, Hashable, Codable {
    /// The file, and the line's number in it, from 1.
    package var file: String
    package var number: Int64
    /// The app's name for the line's payment; nil if it is not about a payment.
    package var payment: String?
    /// The processor's id of the line's payout: both the processor's line and the bank's line have it.
    package var payout: String?

    package init(file: String, number: Int64, payment: String? = nil, payout: String? = nil) {
        self.file = file
        self.number = number
        self.payment = payment
        self.payout = payout
    }

    /// True for the bank's side of a payout.
    package var isAtBank: Bool { file.hasPrefix(SimulatedStatements.bankPrefix) }
}
