package import Canonical
import Composition
import EventLog
import Payments
package import Projections
import Tables

extension Lists {
    package static let transactions = ListDefinition<Sorted<TransactionFilter, TransactionOrder>, StoredJSON>(
        name: "transactions",
        summary: "Payments, the last recorded first, or by time with sort=time.",
        paths: ["transactions"],
        readModels: ["transactions", "merchants"],
        isAvailableInThePast: true,
        filter: { query throws(Refusal) in
            Sorted(try TransactionFilter(&query), by: try query.choice("sort", of: TransactionOrder.self) ?? .position)
        },
        columns: { _ in transactionColumns },
        shown: "id,status,vendor,merchant,captured_decimal,currency,card_brand,last4,occurred_at"
    ) { query, ledger in
        let order = query.filter.order
        let place = try query.place { cursor throws(Refusal) in try cursor.place(in: order) }
        guard let position = query.position else {
            let found = try await ledger.payments.transactions.transactions(
                of: query.tenant,
                matching: query.filter.filter,
                sortedBy: order,
                after: place,
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                StoredJSON($0.json)
            } cursor: {
                Cursor($0.place, in: order)
            }
        }
        let page = try await PastTransactions(pool: ledger.pool, reader: ledger.reader).transactions(
            of: query.tenant,
            matching: query.filter.filter,
            sortedBy: order,
            at: position,
            after: place,
            limit: query.limit
        )
        return Page(items: page.items.map { StoredJSON($0.json) }, next: page.next.map { Cursor($0, in: order) })
    }

    private static let transactionColumns: [Column] = {
        let amounts = [
            ("requested", "requested"), ("authorized", "authorized"), ("captured", "captured"), ("tip", "tip"),
            ("refunded", "refunded"), ("charged_back", "chargedBack"), ("remaining", "remaining"),
            ("settled", "settled"), ("due", "due"), ("credited", "credited"),
        ]
        let parts = ["base", "tax", "fee", "cashback"]
        let places = amounts.map { ["amounts", $0.1] }
        var columns = [
            Column("id", "id"), Column("version", "version"), Column("status", "status"),
            Column("operation", "operation"), Column("vendor", "vendor"), Column("reference", "reference"),
            Column("merchant", "merchant"), Column("terminal", "terminal"), Column("device", "device"),
            Column("tender", "tender"), Column("test", "test"), Column("currency", as: .currency(places)),
        ]
        columns += amounts.flatMap { Column.money($0.0, "amounts", $0.1) }
        columns += parts.flatMap { Column.money($0, "breakdown", $0) }
        columns += [
            Column("card_brand", "card", "brand"), Column("last4", "card", "lastFour"),
            Column("entry", "card", "entryMethod"), Column("avs", "card", "addressCheck", "code"),
            Column("cv", "card", "codeCheck", "code"), Column("auth_code", "references", "authorizationCode"),
            Column("rrn", "references", "retrievalReference"), Column("invoice", "references", "invoice"),
            Column("gateway_id", "references", "gatewayTransaction"),
            Column("vendor_id", "references", "vendorTransaction"), Column("in_doubt", "inDoubt"),
            Column("anomalies", "anomalies", as: .each("kind")), Column("occurred_at", "occurredAt"),
            Column("recorded_at", "recordedAt"), Column("first_position", "firstPosition"),
            Column("last_position", "lastPosition"),
        ]
        return columns
    }()
}

/// A filter with the order of its list.
package struct Sorted<Filter: Sendable, Order: Sendable>: Sendable {
    package var filter: Filter
    package var order: Order

    package init(_ filter: Filter, by order: Order) {
        self.filter = filter
        self.order = order
    }
}

extension TransactionFilter {
    private static func words(_ text: String) -> [String]? {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        return (1...8).contains(words.count) ? words : nil
    }

    /// Reads the filters of the search.
    ///
    /// - Throws: `invalid-parameter`, `repeated-parameter`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        status = try query.choice("status", of: TransactionStatus.self)
        operation = try query.choice("type", of: Operation.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        reader = try query.text("reader")
        reference = try query.text("reference")
        batch = try query.text("batch")
        cardBrand = try query.text("card_brand")
        lastFour = try query.text("last4")
        authorizationCode = try query.text("auth_code")
        retrievalReference = try query.text("rrn")
        invoice = try query.text("invoice")
        gatewayTransaction = try query.text("gateway_id")
        currency = try query.text("currency")
        amountFrom = try query.integer("amount_from", in: 0...Int64.max)
        amountTo = try query.integer("amount_to", in: 0...Int64.max)
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
        words = try query.value("text", expected: "is one to eight words") { Self.words($0) } ?? []
        isInDoubt = try query.flag("in_doubt")
        isAnomalous = try query.flag("anomalous")
        isTest = try query.flag("test")
        addressCheck = try query.text("avs")
        codeCheck = try query.text("cv")
        isHealthCare = try query.flag("health_care")
        isVoiceAuthorized = try query.flag("voice_auth")
        isCardPresent = try query.flag("card_present")
        isCommercial = try query.flag("commercial")
        taxIndicator = try query.text("tax_indicator")
    }
}

extension Cursor {
    package init(_ place: TransactionPlace, in order: TransactionOrder) {
        let time = order == .time ? String(place.time.microsecondsSince1970) : nil
        self.init(position: place.position, name: time)
    }

    /// - Throws: `invalid-cursor`, also for a cursor of the same list in another order.
    package func place(in order: TransactionOrder) throws(Refusal) -> TransactionPlace {
        switch (order, name) {
        case (.position, nil):
            return TransactionPlace(position: position, time: Timestamp(microsecondsSince1970: 0))
        case (.time, let name?):
            guard let time = Int64(name).flatMap({ Timestamp(exactMicrosecondsSince1970: $0) }) else {
                throw Self.invalid
            }
            return TransactionPlace(position: position, time: time)
        default: throw Self.invalid
        }
    }
}
