import Access
import Canonical
package import EventLog
import Intake
import Ledger
import Payments
package import Projections
package import Replay
import Tables

extension AnomalyFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        kind = try query.choice("kind", of: Anomaly.Kind.self)
        state = try query.choice("state", of: AnomalyView.State.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
    }
}

extension CheckoutFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        vendor = try query.choice("vendor", of: Vendor.self)
        status = try query.choice("status", of: CheckoutView.Status.self)
        transaction = try query.value("transaction", expected: "is the id of a payment") { UUID128($0) }
    }
}

extension DoubtWorklist.Filter {
    /// Reads `vendor`, `merchant`, `terminal`, `currency`, `older_than` and `needs_person`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init(try DoubtQuery.Filter(&query))
        payments.currency = try query.text("currency")
        olderThanSeconds = try query.integer("older_than", in: 0...3_155_760_000)
        needsPerson = try query.flag("needs_person")
    }
}

extension DoubtQuery.Order {
    /// Reads `sort`; by age if absent.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self = try query.choice("sort", of: DoubtQuery.Order.self) ?? .age
    }
}

extension EventFilter {
    /// Reads the filters of the feed.
    ///
    /// - Throws: `invalid-parameter`, `repeated-parameter`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        stream = try query.text("stream")
        type = try query.text("type")
        actor = try query.text("actor")
        upTo = try query.integer("up_to", in: 0...Int64.max)
        recordedFrom = try query.time("from")
        recordedBefore = try query.time("to")
    }
}

extension BatchFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        status = try query.choice("status", of: BatchState.Status.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        number = try query.text("number")
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        isOpen = try query.flag("open")
    }
}

extension ReaderFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        vendor = try query.choice("vendor", of: Vendor.self)
        isBusy = try query.flag("busy")
        isUpdateDue = try query.flag("update_due")
    }
}

extension ParameterReader {
    /// Reads `by`.
    package mutating func totalsKeys(_ known: [TotalsKey]) throws(Refusal) -> [TotalsKey]? {
        try value("by", expected: TotalsKey.expectation(known)) { TotalsKey.list($0, among: known) }
    }
}

extension TotalsFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        vendor = try query.choice("vendor", of: Vendor.self)
        currency = try query.text("currency")
        cardBrand = try query.text("card_brand")
        tender = try query.text("tender")
        clerk = try query.text("clerk")
    }
}

extension TransactionOrder {
    /// Reads `sort`.
    ///
    /// - Throws: `invalid-parameter`, `repeated-parameter`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self = try query.choice("sort", of: TransactionOrder.self) ?? .position
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
    }
}
