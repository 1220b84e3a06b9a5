package import Canonical
package import Payments

/// One operation of a plan, whether or not it is to be resubmitted.
package struct ReplayItem: Sendable, Hashable, Codable {
    /// The number within the plan, from 1.
    package var number: Int64
    package var transaction: UUID128
    /// The version of the payment's stream that was judged.
    package var version: Int64
    package var operation: ReplayOperation
    package var disposition: Disposition.Name
    /// The time of `wait-until`; nil for other dispositions.
    package var until: Timestamp?
    package var rule: String
    /// The positions of the events it was judged by.
    package var evidence: [Int64]
    package var amount: Money?
    /// The requested tip, of a tip adjustment or of a payment.
    package var tip: Money?
    /// The operation to use instead.
    package var instead: ReplayOperation?
    /// For an item that charges or credits a card: the digest of the card's token. The item is executed only with this
    /// token.
    package var card: String?

    package init(
        number: Int64,
        transaction: UUID128,
        version: Int64,
        operation: ReplayOperation,
        disposition: Disposition.Name,
        until: Timestamp? = nil,
        rule: String,
        evidence: [Int64],
        amount: Money? = nil,
        tip: Money? = nil,
        instead: ReplayOperation? = nil,
        card: String? = nil
    ) {
        self.number = number
        self.transaction = transaction
        self.version = version
        self.operation = operation
        self.disposition = disposition
        self.until = until
        self.rule = rule
        self.evidence = evidence
        self.amount = amount
        self.tip = tip
        self.instead = instead
        self.card = card
    }

    package init(
        number: Int64,
        transaction: UUID128,
        version: Int64,
        request: ReplayRequest,
        card: String? = nil,
        ruling: Ruling
    ) {
        self.init(
            number: number,
            transaction: transaction,
            version: version,
            operation: request.operation,
            disposition: ruling.disposition.name,
            until: ruling.disposition.until,
            rule: ruling.rule,
            evidence: ruling.evidence,
            amount: request.amount,
            tip: request.tip,
            instead: ruling.instead,
            card: card
        )
    }
}

/// Items of a plan: the payload of `ReplayItemsPlanned`.
package struct ReplayItems: Sendable, Hashable, Codable {
    /// The largest number of items in one event.
    package static let limit = 500

    package var items: [ReplayItem]

    package init(items: [ReplayItem]) {
        self.items = items
    }

    /// The items, split into events of at most `limit`.
    package static func chunks(_ items: [ReplayItem]) -> [ReplayItems] {
        stride(from: 0, to: items.count, by: limit).map { start in
            ReplayItems(items: Array(items[start..<min(start + limit, items.count)]))
        }
    }
}

/// The number of items in a plan with one disposition and currency.
package struct ReplayTotal: Sendable, Hashable, Codable {
    package var disposition: Disposition.Name
    /// Nil for items without an amount.
    package var currency: String?
    package var count: Int64
    /// Minor units; nil if the sum does not fit into 64 bits or the items have no amount.
    package var amount: Int64?

    package init(disposition: Disposition.Name, currency: String?, count: Int64, amount: Int64?) {
        self.disposition = disposition
        self.currency = currency
        self.count = count
        self.amount = amount
    }

    /// The totals of items, by disposition and currency.
    package static func of(_ items: some Sequence<ReplayItem>) -> [ReplayTotal] {
        var sums: [TotalKey: (count: Int64, amount: Int128)] = [:]
        for item in items {
            let key = TotalKey(disposition: item.disposition, currency: item.amount?.currency)
            let sum = sums[key] ?? (0, 0)
            sums[key] = (sum.count + 1, sum.amount + Int128(item.amount?.value ?? 0))
        }
        return sums.map { key, sum in
            ReplayTotal(
                disposition: key.disposition,
                currency: key.currency?.alpha,
                count: sum.count,
                amount: key.currency == nil ? nil : Int64(exactly: sum.amount)
            )
        }
        .sorted { ($0.disposition.rawValue, $0.currency ?? "") < ($1.disposition.rawValue, $1.currency ?? "") }
    }
}

private struct TotalKey: Hashable {
    var disposition: Disposition.Name
    var currency: Currency?
}
