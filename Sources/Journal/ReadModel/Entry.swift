import Canonical
import Payments
import Projections

/// What one event of a payment posts.
struct Entry {
    let tenant: String
    let payment: UUID128
    let position: Int64
    let currency: Currency
    let vendor: Vendor?
    let terminal: String?
    let occurredAt: Timestamp
    let legs: [DatedLeg]

    /// A leg with its merchant, and with the local time of its line of money for the entry that begins the line.
    struct DatedLeg {
        var leg: Leg
        var merchant: String?
        var localAt: LocalTime?
    }

    /// True if it changes what the payment's reports of the bank have posted.
    var isFunding: Bool { legs.contains { $0.leg.line == "funded" } }

    /// The entries of a payment's events, in order. Events that move no money have none.
    static func entries(of payment: PaymentRun) -> [Entry] {
        var entries: [Entry] = []
        var state = payment.before
        var book = state.book
        var merchant = state.merchant
        for step in payment.steps {
            state.fold(step.fact, at: step.occurredAt)
            let (before, earlier) = (book, merchant)
            (book, merchant) = (state.book, state.merchant)
            guard let currency = state.currency else { continue }
            var legs: [DatedLeg]
            if merchant.hasSameUTF8(as: earlier) {
                let known = Set(before.map { Array($0.line.utf8) })
                legs = Leg.changes(from: before, to: book).map { leg in
                    let isNew = !known.contains(Array(leg.line.utf8))
                    return DatedLeg(leg: leg, merchant: merchant, localAt: isNew ? state.localTime(of: leg.line) : nil)
                }
            } else {
                // All of it is the newly known merchant's.
                legs = book.map { leg in
                    DatedLeg(
                        leg: leg,
                        merchant: merchant,
                        localAt: before.isEmpty ? state.localTime(of: leg.line) : nil
                    )
                }
                legs += before.map { DatedLeg(leg: $0.with(-$0.amount), merchant: earlier) }
            }
            guard !legs.isEmpty else { continue }
            entries.append(
                Entry(
                    tenant: payment.tenant,
                    payment: payment.id,
                    position: step.position,
                    currency: currency,
                    vendor: state.vendor,
                    terminal: state.identity.terminal ?? state.references.terminal,
                    occurredAt: step.occurredAt,
                    legs: legs
                )
            )
        }
        return entries
    }
}

extension TransactionState {
    /// The local time that the report of a line of money shows.
    fileprivate func localTime(of line: String) -> LocalTime? {
        if line == "credit" { return credit?.localAt }
        if let capture = captures.first(where: { "capture:\($0.id)".hasSameUTF8(as: line) }) { return capture.localAt }
        return
            (refunds.first { "refund:\($0.id)".hasSameUTF8(as: line) }
            ?? chargebacks.first { "chargeback:\($0.id)".hasSameUTF8(as: line) })?.localAt
    }
}
