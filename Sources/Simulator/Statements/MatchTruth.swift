/// A line of the statements, and what really is behind it: what a reconciliation has to match it with.
package struct MatchTruth: Sendable, Hashable, Codable {
    /// The file, and which of its lines, counted from 1.
    package var file: String
    package var number: Int64
    /// The app's own name for the payment whose money it is; nil where no payment is meant.
    package var payment: String?
    /// The processor's id of the payout that it is one side of: the processor's line has it, and the bank's.
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
