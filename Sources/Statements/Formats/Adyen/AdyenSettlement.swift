import Canonical
import Payments

/// Adyen's settlement detail report: a row for each journal entry, amounts in columns for debit and credit.
struct AdyenSettlement: CSVRows {
    typealias Column = AdyenColumn

    let required: [AdyenColumn] = [.type, .netCurrency, .netDebit, .netCredit, .creationDate]

    private struct BatchKey: Hashable, Sendable {
        var batch: String
        var currency: Currency
    }

    private struct BatchSums: Sendable {
        var net: Int128 = 0
        /// True after a payout, or a row that carries the rest over to the next batch.
        var isClosed = false
        var line = 0
    }

    private var currencies = CurrencyMemory()
    private var grossCurrencies = CurrencyMemory()
    private var zones = ZoneNames()
    private var unknown = UnknownCodes()
    private var feet = RowChecks()
    private var batches = ScopedSums<BatchKey, BatchSums>()

    mutating func row(_ cells: CSVCells<AdyenColumn>, into sink: StatementSink) throws {
        let journal = cells[.type]
        guard !journal.isEmpty else { throw journal.problem(.missingValue, "A journal type is expected.") }
        let currency = try currencies.currency(cells[.netCurrency])
        let net = try Self.signed(cells[.netCredit], cells[.netDebit], currency) ?? 0
        let type = AdyenJournal.type(journal, net: net)
        var line = StatementLine(
            line: cells.line,
            side: .processor,
            type: type ?? .other,
            rawType: journal.text,
            currency: currency
        )
        line.net = net
        try amounts(cells, &line)
        try times(cells, &line, sink)
        references(cells, &line)
        if type == nil {
            try unknown.note(line.rawType ?? "", line: line.line, "Journal type", into: sink)
        }
        try check(cells, line, net, sink)
        let batch = line.references[.batch] ?? ""
        let isClosing = line.type == .payout || (line.type == .transfer && Self.isCarriedOver(line))
        try batches.update(BatchKey(batch: batch, currency: currency), line: cells.line, initial: BatchSums()) { sums in
            sums.net += Int128(net)
            sums.isClosed = sums.isClosed || isClosing
            sums.line = cells.line
        }
        try sink(.line(line))
    }

    private mutating func amounts(_ cells: CSVCells<AdyenColumn>, _ line: inout StatementLine) throws {
        for (column, kind) in [
            (AdyenColumn.commission, FeeKind.commission), (.markup, .markup), (.scheme, .scheme),
            (.interchange, .interchange),
        ] {
            guard let fee = try cells[column].optionalAmount(line.currency), fee != 0 else { continue }
            line.fees.append(LineFee(kind, -fee))
        }
        let field = cells[.grossCurrency]
        guard !field.isEmpty else { return }
        let currency = try grossCurrencies.currency(field)
        guard let gross = try Self.signed(cells[.grossCredit], cells[.grossDebit], currency) else { return }
        if currency == line.currency {
            line.gross = gross
        } else {
            line.transactionAmount = Money(gross, currency)
            // In the settlement currency, the gross is the net before the fees.
            let sum = Int128(line.net ?? 0) - line.fees.reduce(Int128(0)) { $0 + Int128($1.amount) }
            guard let settled = Int64(exactly: sum) else {
                throw cells[.netCredit].problem(.badAmount, AmountFault.tooLarge.detail)
            }
            line.gross = settled
        }
    }

    private mutating func times(
        _ cells: CSVCells<AdyenColumn>,
        _ line: inout StatementLine,
        _ sink: StatementSink
    ) throws {
        let created = cells[.creationDate]
        guard let (wall, _) = DateText.dayAndTime(created.bytes) else {
            throw created.problem(.badDate, "A time like 2026-01-02 03:04:05 is expected.")
        }
        line.localTime = wall
        line.day = wall.day
        let zone = cells[.timeZone]
        if !zone.isEmpty {
            let name = zones.name(zone.bytes)
            line.zone = name
            line.occurredAt = zones.instant(wall, in: zone.bytes)
            if line.occurredAt == nil { try unknown.note(name, line: line.line, "Time zone", into: sink) }
        }
        let booked = cells[.bookingDate]
        if !booked.isEmpty {
            line.bookedDay =
                DateText.dayAndTime(booked.bytes).map { $0.wall.day } ?? DateText.day(booked.bytes)
            if line.bookedDay == nil { throw booked.problem(.badDate, "A day or a time is expected.") }
        }
    }

    private func references(_ cells: CSVCells<AdyenColumn>, _ line: inout StatementLine) {
        var references = LineReferences()
        references.reserve(8)
        references[.processor] = cells[.pspReference].id
        // Free text for fees and transfers: "Transaction Fees March 01 2022".
        references[.related] = cells[.modification].text
        references[.arn] = cells[.acquirerReference].id
        references[.authCode] = cells[.authCode].id
        references[.invoice] = cells[.merchantReference].text
        references[.merchant] = cells[.merchant].id
        references[.terminal] = cells[.terminal].id
        references[.batch] = cells[.batch].id
        let variant = cells[.variant]
        references[.brand] = variant.isEmpty ? cells[.paymentMethod].id : variant.id
        references[.text] = cells[.modificationMerchantReference].text
        line.references = references
    }

    /// True for the last row of a batch without a payout: the rest is carried over to the next batch.
    private static func isCarriedOver(_ line: StatementLine) -> Bool {
        guard let text = line.references[.text] else { return line.net ?? 0 < 0 }
        return !text.contains("from batch")
    }

    /// Checks that gross less fees is the net, if both are in one currency.
    private mutating func check(
        _ cells: CSVCells<AdyenColumn>,
        _ line: StatementLine,
        _ net: Int64,
        _ sink: StatementSink
    ) throws {
        guard line.transactionAmount == nil, let gross = line.gross else { return }
        let sum = line.fees.reduce(Int128(gross)) { $0 + Int128($1.amount) }
        try feet.check("net", stated: net, sum: sum, of: line, into: sink)
    }

    mutating func finish(line: Int, into sink: StatementSink) throws {
        try feet.report("rows-that-foot", line: line, into: sink)
        for (key, sums) in batches.entries {
            let name = key.batch.isEmpty ? "file" : "batch \(key.batch)"
            guard sums.isClosed else {
                let detail =
                    "\(name) in \(key.currency.alpha) has no payout and no balance carried over: it is still open."
                try sink(.note(StatementNote(.unchecked, line: sums.line, detail)))
                continue
            }
            try sink(
                .control(
                    StatementControl(
                        .balance,
                        "batch-balance",
                        scope: "\(name) \(key.currency.alpha)",
                        stated: 0,
                        sum: sums.net,
                        currency: key.currency,
                        line: sums.line
                    )
                )
            )
        }
    }

    /// Credit less debit; nil if the row has neither.
    private static func signed(_ credit: Field, _ debit: Field, _ currency: Currency) throws -> Int64? {
        let plus = try credit.optionalAmount(currency)
        let minus = try debit.optionalAmount(currency)
        guard plus != nil || minus != nil else { return nil }
        let (value, overflow) = (plus ?? 0).subtractingReportingOverflow(minus ?? 0)
        guard !overflow else { throw credit.problem(.badAmount, AmountFault.tooLarge.detail) }
        return value
    }
}
