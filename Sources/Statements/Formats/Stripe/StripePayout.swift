import Canonical
import Payments

/// The columns read from Stripe's itemized payout reconciliation.
enum StripeColumn: Int, CSVColumn {
    case category, currency, gross, fee, net, transaction
    case payout, payoutAt, created, createdUTC, available, availableUTC
    case source, charge, intent, brand, lastFour, statementDescriptor, description, order, customer
    case customerAmount, customerCurrency, trace

    var title: String {
        switch self {
        case .category: "reporting_category"
        case .currency: "currency"
        case .gross: "gross"
        case .fee: "fee"
        case .net: "net"
        case .transaction: "balance_transaction_id"
        case .payout: "automatic_payout_id"
        case .payoutAt: "automatic_payout_effective_at"
        case .created: "created"
        case .createdUTC: "created_utc"
        case .available: "available_on"
        case .availableUTC: "available_on_utc"
        case .source: "source_id"
        case .charge: "charge_id"
        case .intent: "payment_intent_id"
        case .brand: "card_brand"
        case .lastFour: "card_last4"
        case .statementDescriptor: "statement_descriptor"
        case .description: "description"
        case .order: "order_id"
        case .customer: "customer_id"
        case .customerAmount: "customer_facing_amount"
        case .customerCurrency: "customer_facing_currency"
        case .trace: "trace_id"
        }
    }

    var aliases: [String] {
        switch self {
        case .payout: ["payout_id"]
        case .payoutAt: ["automatic_payout_effective_at_utc", "effective_at"]
        case .order: ["payment_metadata[order_id]", "payment_metadata_order_id"]
        default: []
        }
    }
}

/// Stripe's report `payout_reconciliation.itemized`: a row for each balance transaction, amounts in whole units.
struct StripePayout: CSVRows {
    typealias Column = StripeColumn

    let required: [StripeColumn] = [.category, .currency, .gross, .fee, .net, .transaction]

    private struct PayoutKey: Hashable, Sendable {
        var payout: String
        var currency: Currency
    }

    private struct PayoutSums: Sendable {
        var others: Int128 = 0
        var payouts: Int128 = 0
        var payoutRows = 0
        var otherRows = 0
        var line = 0

        /// True if payouts are written as the amount paid, and not as the amount that left the balance: they then have
        /// the same sign as the report's other rows. A positive payout among negative rows was taken from the bank
        /// account.
        var isWrittenAsPaid: Bool { (payouts > 0 && others > 0) || (payouts < 0 && others < 0) }
    }

    private var currencies = CurrencyMemory()
    private var customerCurrencies = CurrencyMemory()
    private var unknown = UnknownCodes()
    private var feet = RowChecks()
    private var payouts = ScopedSums<PayoutKey, PayoutSums>()
    /// Rows of payouts, whose sign depends on the other rows.
    private var held: [(key: PayoutKey, line: StatementLine)] = []

    mutating func row(_ cells: CSVCells<StripeColumn>, into sink: StatementSink) throws {
        let currency = try currencies.currency(cells[.currency])
        let gross = try cells[.gross].amount(currency)
        let fee = try cells[.fee].amount(currency)
        let net = try cells[.net].amount(currency)
        let category = cells[.category]
        let type = Self.type(category.id ?? "", net: net)
        var line = StatementLine(
            line: cells.line,
            side: .processor,
            type: type ?? .other,
            rawType: category.text,
            currency: currency
        )
        if type == nil { try unknown.note(line.rawType ?? "", line: line.line, "Reporting category", into: sink) }
        (line.gross, line.net) = (gross, net)
        if fee != 0 { line.fees = [LineFee(.processing, -fee)] }
        try times(cells, &line)
        try references(cells, &line)
        try feet.check("net", stated: net, sum: Int128(gross) - Int128(fee), of: line, into: sink)
        let isPayout = line.type == .payout
        if isPayout, line.references[.payout] == nil { line.references[.payout] = cells[.source].id }
        let key = PayoutKey(payout: line.references[.payout] ?? "", currency: currency)
        try payouts.update(key, line: line.line, initial: PayoutSums()) { sums in
            if isPayout {
                sums.payouts += Int128(net)
                sums.payoutRows += 1
                sums.line = cells.line
            } else {
                sums.others += Int128(net)
                sums.otherRows += 1
            }
        }
        guard isPayout else { return try sink(.line(line)) }
        guard held.count < ScopedSums<PayoutKey, PayoutSums>.limit else {
            throw StatementProblem(.tooLarge, line: line.line, "The file has more payouts than are read.")
        }
        held.append((key, line))
    }

    /// Passes on the rows of payouts, negative if money was paid out.
    private func sendPayouts(into sink: StatementSink) throws {
        var isNoted = false
        for (key, row) in held {
            var line = row
            if !key.payout.isEmpty, payouts[key]?.isWrittenAsPaid == true {
                line.gross = line.gross.map { -$0 }
                line.net = line.net.map { -$0 }
                line.fees = line.fees.map { LineFee($0.kind, -$0.amount) }
                if !isNoted {
                    let detail = "The file states payouts as amounts paid; their signs were reversed."
                    try sink(.note(StatementNote(.information, line: line.line, detail)))
                }
                isNoted = true
            }
            try sink(.line(line))
        }
    }

    /// The types of docs.stripe.com, reporting categories.
    private static func type(_ category: String, net: Int64) -> LineType? {
        switch category {
        case "charge", "payment": .capture
        case "refund", "partial_capture_reversal": .refund
        case "refund_failure", "charge_failure": .refundReversal
        case "dispute": .chargeback
        case "dispute_reversal": .chargebackReversal
        case "fee", "network_cost", "platform_earning_refund", "tax": .fee
        case "payout": .payout
        case "payout_reversal", "payout_failure", "payout_minimum_balance_release": .payoutReturn
        case "transfer", "transfer_reversal", "connect_collection_transfer", "topup", "topup_reversal",
            "contribution", "platform_earning":
            .transfer
        case "connect_reserved_funds", "risk_reserved_funds", "reserved_funds", "payout_minimum_balance_hold":
            net < 0 ? .reserve : .reserveRelease
        case "currency_conversion": .conversion
        case "other_adjustment", "advance", "advance_funding", "financing_paydown", "financing_payout": .adjustment
        default: nil
        }
    }

    private func times(_ cells: CSVCells<StripeColumn>, _ line: inout StatementLine) throws {
        let utc = cells[.createdUTC]
        let created = utc.isEmpty ? cells[.created] : utc
        if !created.isEmpty {
            guard let (wall, rest) = DateText.dayAndTime(created.bytes) else {
                throw created.problem(.badDate, "A time like 2026-01-02 03:04:05 is expected.")
            }
            line.localTime = wall
            line.day = wall.day
            if !utc.isEmpty {
                (line.zone, line.occurredAt) = ("UTC", wall)
            } else if let ahead = DateText.offset(rest) {
                line.occurredAt = wall.adding(microseconds: -ahead * 1_000_000)
            }
        }
        let available = cells[.available].isEmpty ? cells[.availableUTC] : cells[.available]
        line.bookedDay = try available.optionalDayOrTime(.yearMonthDay)
        line.valueDay = try cells[.payoutAt].optionalDayOrTime(.yearMonthDay) ?? line.bookedDay
    }

    private mutating func references(_ cells: CSVCells<StripeColumn>, _ line: inout StatementLine) throws {
        var references = LineReferences()
        references.reserve(8)
        let intent = cells[.intent]
        let charge = cells[.charge]
        let source = cells[.source]
        references[.processor] = (charge.isEmpty ? source : charge).id
        references[.related] = source.id == references[.processor] ? intent.id : source.id
        references[.other] = cells[.transaction].id
        references[.payout] = cells[.payout].id
        references[.brand] = cells[.brand].id
        references[.lastFour] = CardDigits.lastFour(cells[.lastFour].bytes)
        references[.invoice] = cells[.order].text
        references[.text] = cells[.description].text
        references[.bank] = cells[.trace].id
        line.references = references
        let paid = cells[.customerAmount]
        guard !paid.isEmpty, !cells[.customerCurrency].isEmpty else { return }
        let currency = try customerCurrencies.currency(cells[.customerCurrency])
        if currency != line.currency { line.transactionAmount = Money(try paid.amount(currency), currency) }
    }

    mutating func finish(line: Int, into sink: StatementSink) throws {
        try feet.report("rows-that-foot", line: line, into: sink)
        // A payout's row equals the sum of its other rows; reports of one payout often have no such row.
        try sendPayouts(into: sink)
        let alone = payouts.entries.filter { $0.sums.payoutRows > 0 && $0.sums.otherRows == 0 }
        if let first = alone.first {
            let detail = "\(alone.count) payouts have no other rows in the file to add up."
            try sink(.note(StatementNote(.unchecked, line: first.sums.line, detail)))
        }
        for (key, sums) in payouts.entries where sums.payoutRows > 0 && sums.otherRows > 0 {
            let isAsPaid = !key.payout.isEmpty && sums.isWrittenAsPaid
            let payout = Int64(exactly: isAsPaid ? sums.payouts : -sums.payouts)
            try sink(
                .control(
                    StatementControl(
                        .total,
                        "payout-amount",
                        scope: "payout \(key.payout) \(key.currency.alpha)",
                        stated: payout ?? 0,
                        computed: payout == nil ? nil : Int64(exactly: sums.others),
                        currency: key.currency,
                        line: sums.line
                    )
                )
            )
        }
    }
}
