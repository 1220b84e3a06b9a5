package import Canonical
package import Payments

/// What the answer to a question about a payment tells of the transaction that was found, as far as the vendor prints it: by
/// it can be seen whether it is the payment that was asked about.
package struct FoundPayment: Sendable, Hashable {
    /// What was asked for, before anything was approved.
    package var requested: Money?
    /// How it stands: what is approved of it, with the tip and the fee within. Nil where nothing is, or it is not told.
    package var approved: Amounts?
    /// Of the card, four digits.
    package var lastFour: String?
    /// When it was made, by the gateway's clock. Most vendors print no zone; those times are read as UTC.
    package var at: Timestamp?
    package var invoice: String?
    /// The batch it was made in, as the vendor's adapter writes batch numbers.
    package var batch: String?
    /// The merchant's account at the gateway, or the terminal (Dejavoo: the TPN).
    package var account: String?

    package init(
        requested: Money? = nil,
        approved: Amounts? = nil,
        lastFour: String? = nil,
        at: Timestamp? = nil,
        invoice: String? = nil,
        batch: String? = nil,
        account: String? = nil
    ) {
        self.requested = requested
        self.approved = approved.flatMap { $0.total.isZero ? nil : $0 }
        self.lastFour = lastFour.flatMap { $0.utf8.count == 4 ? $0 : nil }
        self.at = at
        self.invoice = invoice
        self.batch = batch
        self.account = account
    }
}
