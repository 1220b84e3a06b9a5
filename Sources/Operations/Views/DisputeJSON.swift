package import Canonical
package import Payments
package import Reconciliation

/// The dispute of a chargeback.
package struct DisputeJSON: Codable, Sendable, Hashable {
    package var id: UUID128
    package var transaction: UUID128
    /// The id of the chargeback within the payment.
    package var chargeback: String
    package var status: DisputeStatus
    package var amount: Money
    package var reportedAt: Timestamp
    package var merchant: String?
    package var vendor: Vendor?
    package var reasonCode: String?
    package var respondBy: String?
    package var representedAt: Timestamp?
    package var representations: Int64
    package var closedAt: Timestamp?
    /// The version of the payment's stream.
    package var version: Int64

    package init(_ dispute: DisputeView) throws {
        id = dispute.id
        transaction = dispute.transaction
        chargeback = dispute.chargeback
        status = try DisputeStatus(stored: dispute.status)
        amount = try Money(dispute.amount, stored: dispute.currency)
        reportedAt = dispute.reportedAt
        merchant = dispute.merchant
        vendor = try dispute.vendor.map(Vendor.init(stored:))
        reasonCode = dispute.reasonCode
        respondBy = dispute.respondBy
        representedAt = dispute.representedAt
        representations = dispute.representations
        closedAt = dispute.closedAt
        version = dispute.version
    }
}
