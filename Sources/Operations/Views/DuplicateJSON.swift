package import Canonical
package import Payments
package import Projections

/// Two payments that may be one charged twice.
package struct DuplicateJSON: Codable, Sendable, Hashable {
    package struct Payment: Codable, Sendable, Hashable {
        package var transaction: UUID128
        package var status: TransactionStatus
        package var occurredAt: Timestamp
        package var reference: String?

        package init(_ payment: SuspectedDuplicate.Payment) {
            transaction = payment.transaction
            status = payment.status
            occurredAt = payment.occurredAt
            reference = payment.reference
        }
    }

    package var later: Payment
    package var earlier: Payment
    package var gapSeconds: Int64
    package var brand: String?
    package var lastFour: String
    package var amount: Money
    package var vendor: String?
    package var merchant: String?
    package var terminal: String?

    package init(_ pair: SuspectedDuplicate) {
        later = Payment(pair.later)
        earlier = Payment(pair.earlier)
        gapSeconds = pair.later.occurredAt.microseconds(since: pair.earlier.occurredAt) / 1_000_000
        brand = pair.cardBrand
        lastFour = pair.lastFour
        amount = pair.amount
        vendor = pair.vendor
        merchant = pair.merchant
        terminal = pair.terminal
    }
}
