package import Canonical
import Payments

/// One payment as the ledger's API answers it, as far as it is scored.
package struct LedgerPayment: Sendable, Hashable {
    package var id: String
    package var reference: String?
    package var status: String
    package var isInDoubt: Bool
    package var currency: String?
    package var authorized: Int64
    package var captured: Int64
    package var tip: Int64
    package var refunded: Int64
    package var credited: Int64
    /// The kinds of what does not fit.
    package var anomalies: [String]

    /// - Parameter json: An item of `GET /v1/transactions`; nil where it is none.
    package init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let status = json["status"]?.string else { return nil }
        self.id = id
        self.status = status
        reference = json["reference"]?.string
        isInDoubt = json["inDoubt"]?.bool ?? false
        let amounts = json["amounts"]
        func amount(_ name: String) -> Int64 { amounts?[name]?["value"]?.int64 ?? 0 }
        currency = amounts?.object?.members.lazy.compactMap { $0.value["currency"]?.string }.first
        authorized = amount("authorized")
        captured = amount("captured")
        tip = amount("tip")
        refunded = amount("refunded")
        credited = amount("credited")
        anomalies = (json["anomalies"]?.array ?? []).compactMap { $0["kind"]?.string }
    }

    /// True where the ledger does not say how the payment ended.
    package var isUndecided: Bool { isInDoubt || status == TransactionStatus.requested.rawValue }
}

/// One batch as the ledger's API answers it.
package struct LedgerBatch: Sendable, Hashable {
    package var id: String
    package var name: BatchName
    package var status: String
    /// Minor units by currency.
    package var net: [String: Int64]

    /// - Parameter json: An item of `GET /v1/batches`; nil where it is none.
    package init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let vendor = json["vendor"]?.string.flatMap(Vendor.init(rawValue:)),
            let status = json["status"]?.string
        else { return nil }
        self.id = id
        self.status = status
        name = BatchName(vendor: vendor, account: json["account"]?.string ?? "", number: json["number"]?.string)
        net = [:]
        for money in json["net"]?.array ?? [] {
            if let currency = money["currency"]?.string { net[currency] = money["value"]?.int64 }
        }
    }

    package var isClosed: Bool { status == "closed" }
}
