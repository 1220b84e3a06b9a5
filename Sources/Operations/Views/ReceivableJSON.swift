package import Canonical
package import Journal
package import Payments

/// Money that a processor owes, of one age; for money in transit, one payout.
package struct ReceivableJSON: Codable, Sendable, Hashable {
    package var account: Account
    package var processor: String?
    package var merchant: String?
    package var line: UUID128?
    package var age: ReceivableAge
    package var since: String
    package var due: String?
    package var amount: Money

    package init(_ receivable: Receivable) {
        account = receivable.account
        processor = receivable.processor
        merchant = receivable.merchant
        line = receivable.line
        age = receivable.age
        since = receivable.since.description
        due = receivable.due?.description
        amount = receivable.amount
    }
}

/// The receivables as of a day.
package struct ReceivablesJSON: Codable, Sendable, Hashable {
    package var day: String
    package var asOfPosition: Int64?
    package var items: [ReceivableJSON]
}
