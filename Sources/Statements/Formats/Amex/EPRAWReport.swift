import Canonical
import Payments

/// The lines and controls of the records of EPRAW.
struct EPRAWReport: Sendable {
    private struct Payment: Hashable, Sendable {
        var payee: String
        var year: String
        var number: String
    }

    private struct Details: Sendable {
        var net: Int128 = 0
        var count = 0
        var line = 0
    }

    private struct Summary: Sendable {
        var payment: Payment
        var amount: Int64
        var debit: Int64
        var line: Int
    }

    private let currency: Currency
    private let isCurrencyGiven: Bool
    private var isCurrencyNoted = false
    private var isBegun = false
    private var isEmpty = true
    private var records: Int64 = 0
    private var fileID = ""
    private var summaries: [Summary] = []
    private var details = ScopedSums<Payment, Details>()
    private var feet = RowChecks()

    init(currency: Currency?) {
        self.currency = currency ?? .usd
        isCurrencyGiven = currency != nil
    }

    mutating func take(_ record: FixedRecord, into sink: StatementSink) throws {
        // Skips a blank record, such as an old end-of-file character.
        guard record.bytes.contains(where: { $0 > 0x20 }) else { return }
        isEmpty = false
        let mark = record[1, 5]
        if mark.is("DFHDR") { return try header(record) }
        guard isBegun else {
            throw mark.problem(.misplacedRecord, "A record DFHDR is expected.")
        }
        records += 1
        if mark.is("DFTRL") { return try trailer(record, sink) }
        if !isCurrencyGiven, !isCurrencyNoted {
            isCurrencyNoted = true
            try sink(
                .note(StatementNote(.assumedCurrency, line: record.line, "The currency is assumed to be US dollars."))
            )
        }
        let type = try record.needed(43, 3)
        switch type.id ?? "" {
        case "100": try summary(record, sink)
        case "210": try submission(record, sink)
        case "220": try chargeback(record, sink)
        case "230": try adjustment(record, sink)
        case "240", "241", "250": try other(record, sink)
        default:
            let shown = String((type.text ?? "").prefix(3))
            try sink(.note(StatementNote(.unknownRecord, line: record.line, "Record type \(shown)")))
        }
    }

    /// - Throws: `.empty` or `.truncated`.
    func finish(line: Int) throws {
        if isEmpty { throw StatementProblem(.empty, line: 0, "The file is empty.") }
        if isBegun { throw StatementProblem(.truncated, line: line, "The file ends before the record DFTRL.") }
    }

    // MARK: Header and trailer

    private mutating func header(_ record: FixedRecord) throws {
        guard !isBegun else {
            throw record[1, 5].problem(.misplacedRecord, "A file begins within another one.")
        }
        isBegun = true
        records = 1
        fileID = record[18, 6].id ?? ""
        summaries = []
        details.removeAll()
        feet = RowChecks()
    }

    private mutating func trailer(_ record: FixedRecord, _ sink: StatementSink) throws {
        let scope = "file \(fileID)"
        let count = try record.needed(84, 7)
        try sink(
            .control(
                StatementControl(
                    .count,
                    "file-records",
                    scope: scope,
                    stated: try count.count(),
                    computed: records,
                    line: record.line
                )
            )
        )
        try feet.report("details-that-foot", scope: scope, line: record.line, into: sink)
        var known: Set<Payment> = []
        for summary in summaries {
            known.insert(summary.payment)
            let sum = (details[summary.payment]?.net ?? 0) + Int128(summary.debit)
            try sink(
                .control(
                    StatementControl(
                        .total,
                        "payment-amount",
                        scope: "payment \(summary.payment.number)",
                        stated: summary.amount,
                        sum: sum,
                        currency: currency,
                        line: summary.line
                    )
                )
            )
        }
        for entry in details.entries where !known.contains(entry.key) {
            let detail = "Payment \(entry.key.number) has details and no summary."
            try sink(.note(StatementNote(.unchecked, line: entry.sums.line, detail)))
        }
        isBegun = false
    }

    // MARK: Records

    private func payment(_ record: FixedRecord) -> Payment {
        Payment(payee: record[1, 10].id ?? "", year: record[31, 4].id ?? "", number: record[35, 8].id ?? "")
    }

    private func line(_ record: FixedRecord, _ type: LineType, _ raw: String, _ payment: Payment) -> StatementLine {
        var line = StatementLine(line: record.line, side: .processor, type: type, rawType: raw, currency: currency)
        line.references[.payout] = payment.number.isEmpty ? nil : payment.number
        line.references[.merchant] = record[11, 10].id ?? record[1, 10].id
        line.references[.location] = record[21, 10].id
        return line
    }

    private mutating func summary(_ record: FixedRecord, _ sink: StatementSink) throws {
        let payment = payment(record)
        let day = try record[46, 7].optionalJulianDay()
        let summary = Summary(
            payment: payment,
            amount: try record.amount(53, 11),
            debit: try record.optionalAmount(64, 9),
            line: record.line
        )
        guard summaries.count < 1 << 18 else {
            throw StatementProblem(.tooLarge, line: record.line, "The file has more payments than are read.")
        }
        summaries.append(summary)
        try sink(
            .section(
                StatementSection(
                    line: record.line,
                    id: payment.number,
                    account: payment.payee,
                    currency: currency,
                    from: day,
                    to: day
                )
            )
        )
        var payout = line(record, .payout, "100", payment)
        payout.references[.merchant] = record[1, 10].id
        payout.references[.location] = nil
        payout.gross = -summary.amount
        payout.net = -summary.amount
        payout.day = day
        payout.valueDay = day
        payout.references[.account] = record[82, 17].id
        try sink(.line(payout))
        guard summary.debit != 0 else { return }
        // An earlier debt is in no other record, and reduces the payment.
        var carried = payout
        carried.type = .transfer
        carried.rawType = "debit balance"
        carried.gross = summary.debit
        carried.net = summary.debit
        try sink(.line(carried))
    }

    private mutating func submission(_ record: FixedRecord, _ sink: StatementSink) throws {
        let payment = payment(record)
        var line = line(record, .batch, "210", payment)
        line.role = .total
        line.group = "record line \(record.line)"
        line.day = try record[46, 7].optionalJulianDay()
        line.bookedDay = try record[53, 7].optionalJulianDay()
        line.references[.batch] = record[60, 6].unpaddedID
        line.references[.related] = record[158, 9].id
        let gross = try record.amount(66, 11)
        let fees = [(FeeKind.discount, try record.optionalAmount(77, 9)), (.service, try record.optionalAmount(86, 7))]
        try send(line, gross: gross, fees, net: try record.amount(100, 11), payment, sink)
    }

    private mutating func chargeback(_ record: FixedRecord, _ sink: StatementSink) throws {
        let payment = payment(record)
        var line = line(record, .chargeback, "220", payment)
        line.day = try record[46, 7].optionalJulianDay()
        line.bookedDay = try record[53, 7].optionalJulianDay()
        line.references[.batch] = record[60, 6].unpaddedID
        line.references[.text] = record[144, 280].text
        let gross = try record.amount(77, 9)
        let net = try record.amount(109, 9)
        if net > 0 { line.type = .chargebackReversal }
        let fees = [(FeeKind.discount, try record.optionalAmount(86, 9)), (.service, try record.optionalAmount(95, 7))]
        try send(line, gross: gross, fees, net: net, payment, sink)
    }

    private mutating func adjustment(_ record: FixedRecord, _ sink: StatementSink) throws {
        let payment = payment(record)
        var line = line(record, .adjustment, "230", payment)
        line.day = try record[46, 7].optionalJulianDay()
        line.bookedDay = line.day
        line.references[.related] = record[53, 6].id
        line.references[.lastFour] = CardDigits.lastFour(record[126, 17].bytes)
        line.references[.text] = record[143, 280].text
        let gross = try record.amount(59, 9)
        let fees = [(FeeKind.discount, try record.optionalAmount(68, 9)), (.service, try record.optionalAmount(77, 7))]
        try send(line, gross: gross, fees, net: try record.amount(91, 9), payment, sink)
    }

    /// Assets, commissions for applications, and other fees: each amount of a record is one line.
    private mutating func other(_ record: FixedRecord, _ sink: StatementSink) throws {
        let payment = payment(record)
        let raw = record[43, 3].id ?? ""
        for (name, position, text) in [
            ("asset billing", 53, record[62, 65]), ("take-one commission", 127, record[136, 80]),
            ("other fee", 216, record[225, 80]), ("asset billing tax", 305, record[62, 65]),
        ] {
            let amount = try record.optionalAmount(position, 9)
            guard amount != 0 else { continue }
            var line = line(record, amount < 0 ? .fee : .adjustment, raw, payment)
            line.day = try record[46, 7].optionalJulianDay()
            line.bookedDay = line.day
            line.references[.text] = text.text
            line.references[.other] = name
            try send(line, gross: amount, [], net: amount, payment, sink)
        }
    }

    private mutating func send(
        _ begun: StatementLine,
        gross: Int64,
        _ fees: [(FeeKind, Int64)],
        net: Int64,
        _ payment: Payment,
        _ sink: StatementSink
    ) throws {
        var line = begun
        line.gross = gross
        line.net = net
        for (kind, amount) in fees where amount != 0 { line.fees.append(LineFee(kind, -amount)) }
        if !fees.isEmpty {
            let sum = fees.reduce(Int128(gross)) { $0 - Int128($1.1) }
            try feet.check("detail-net", stated: net, sum: sum, of: line, into: sink)
        }
        try details.update(payment, line: line.line, initial: Details()) { details in
            details.net += Int128(net)
            details.count += 1
            details.line = line.line
        }
        try sink(.line(line))
    }
}
