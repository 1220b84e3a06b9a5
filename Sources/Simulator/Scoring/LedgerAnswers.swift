package import Canonical
import Payments

/// The scored fields of one payment in the ledger's API.
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
    package var anomalies: [String]
    package var merchant: String?
    package var isTest: Bool
    package var signature: String?
    package var cancellation: String?
    package var gatewayTransaction: String?
    /// The whole answer.
    private let json: JSONValue
    /// The local time that the terminal printed.
    package var localTime: LocalTime?

    /// - Parameter json: An item of `GET /v1/transactions`; nil if it is not valid.
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
        localTime = json["localTime"]?.string.flatMap { LocalTime($0) }
        merchant = json["merchant"]?.string
        isTest = json["test"]?.bool ?? false
        signature = json["signature"]?.string
        cancellation = json["cancellation"]?.string
        gatewayTransaction = json["references"]?["gatewayTransaction"]?.string
        self.json = json
        anomalies = (json["anomalies"]?.array ?? []).compactMap { $0["kind"]?.string }
    }

    /// A member by its names, such as `references.clerk`; of an amount its minor units. Nil if the answer has none.
    package func member(at path: String) -> JSONValue? {
        let found = path.split(separator: ".").reduce(JSONValue?.some(json)) { $0?[String($1)] }
        return found?["value"] ?? found
    }

    /// True if the ledger does not know the payment's outcome.
    package var isUndecided: Bool { isInDoubt || status == TransactionStatus.requested.rawValue }

    /// True if money was taken or given by what the ledger knows.
    package var hasMoney: Bool { captured != 0 || refunded != 0 || credited != 0 }
}

/// One batch in the ledger's API.
package struct LedgerBatch: Sendable, Hashable {
    package var id: String
    package var name: BatchName
    package var status: String
    /// Whether a request to close it was reported.
    package var isRequested: Bool
    /// Minor units by currency.
    package var net: [String: Int64]
    /// The sums of its totals, by currency.
    package var sums: [String: MoneySums]

    /// - Parameter json: An item of `GET /v1/batches`; nil if it is not valid.
    package init?(_ json: JSONValue) {
        guard let id = json["id"]?.string, let vendor = json["vendor"]?.string.flatMap(Vendor.init(rawValue:)),
            let status = json["status"]?.string
        else { return nil }
        self.id = id
        self.status = status
        // A simulated terminal uses each number once: a further use in the ledger is another batch.
        let use = json["generation"]?.int64 ?? 1
        let number = json["number"]?.string.map { use == 1 ? $0 : "\($0) #\(use)" }
        name = BatchName(vendor: vendor, account: json["account"]?.string ?? "", number: number)
        // The time of its closing identifies a batch without a number.
        if name.number == nil { name.closedAt = json["closedAt"]?.string.flatMap { Timestamp(rfc3339: $0) } }
        isRequested = json["requested"]?.bool ?? false
        net = [:]
        sums = [:]
        for total in json["totals"]?.array ?? [] {
            guard let currency = total["amount"]?["currency"]?.string, let type = total["type"]?.string else {
                continue
            }
            let amount = total["amount"]?["value"]?.int64 ?? 0
            switch type {
            case "refund": sums[currency, default: MoneySums()].refunded += amount
            case "credit": sums[currency, default: MoneySums()].credited += amount
            default:
                sums[currency, default: MoneySums()].captured += amount
                sums[currency, default: MoneySums()].tip += total["tip"]?["value"]?.int64 ?? 0
            }
        }
        for money in json["net"]?.array ?? [] {
            if let currency = money["currency"]?.string { net[currency] = money["value"]?.int64 }
        }
    }

    package var isClosed: Bool { status == "closed" }
}

/// A merchant's totals of one business day in the ledger's API.
package struct LedgerDay: Sendable, Hashable {
    package var day: String
    package var currency: String
    package var sums = MoneySums()
    package var net: Int64

    /// - Parameter json: An item of `GET /v1/totals?by=day`; nil if it is not valid.
    package init?(_ json: JSONValue) {
        guard let day = json["day"]?.string, let currency = json["currency"]?.string else { return nil }
        self.day = day
        self.currency = currency
        func amount(_ name: String) -> Int64 { json[name]?["value"]?.int64 ?? 0 }
        sums.captured = amount("captured")
        sums.tip = amount("tip")
        sums.refunded = amount("refunded")
        sums.credited = amount("credited")
        net = amount("net")
    }
}

/// The balance of an account in the ledger's API.
package struct LedgerBalance: Sendable, Hashable {
    package var account: AccountName
    /// Minor units; a debit balance is positive.
    package var amount: Int64

    /// - Parameter json: An item of `GET /v1/trial-balance?by=account,part`; nil if it is not valid.
    package init?(_ json: JSONValue) {
        guard let name = json["account"]?.string, let currency = json["currency"]?.string else { return nil }
        account = AccountName(name, part: json["part"]?.string ?? "", currency: currency)
        amount = (json["debit"]?["value"]?.int64 ?? 0) - (json["credit"]?["value"]?.int64 ?? 0)
    }
}
