package import Canonical
package import Payments

/// The data of the transaction that a query found, as far as the vendor prints it. It serves to check whether the found
/// payment is the queried one.
package struct FoundPayment: Sendable, Hashable {
    /// The requested amount, before any approval.
    package var requested: Money?
    /// The currently approved amounts, including tip and fee. Nil if nothing is approved or the amount is not reported.
    package var approved: Amounts?
    /// The last four digits of the card number.
    package var lastFour: String?
    /// The time of the payment by the gateway's clock. Most vendors print no time zone.
    package var at: ReportedTime?
    package var invoice: String?
    /// The payment's batch, as the vendor's adapter writes batch numbers.
    package var batch: String?
    /// The merchant's account at the gateway, or the terminal (Dejavoo: the TPN).
    package var account: String?

    package init(
        requested: Money? = nil,
        approved: Amounts? = nil,
        lastFour: String? = nil,
        at: ReportedTime? = nil,
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
