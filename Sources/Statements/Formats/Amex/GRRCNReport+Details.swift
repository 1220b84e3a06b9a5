import Canonical
import Payments
import Tables

extension GRRCNReport {
    // MARK: Submissions and their transactions

    mutating func submission(_ record: GRRCNRecord, _ sink: StatementSink) throws {
        try requireSubmission(record)
        let payment = try GRRCNPayment(record, &currencies)
        let currency = payment.currency
        let submitted = try submissionCurrencies.currency(record[10, "submission currency"])
        let original = try record.amount(13, "gross amount in submission currency", submitted)
        let gross = try record.amount(14, "submission gross amount", currency)
        let discount = try record.amount(15, "submission discount amount", currency)
        let service = try record.amount(16, "submission service fee amount", currency)
        let tax = try record.amount(17, "submission tax amount", currency)
        let net = try record.amount(18, "submission net amount", currency)
        let count = record[21, "transaction count"]
        submissions += 1
        let begun = Submission(
            group: "submission line \(record.line)",
            key: Self.key(record),
            currency: submitted,
            gross: original,
            count: count.isEmpty ? nil : try count.count(),
            line: record.line
        )
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: .batch,
            rawType: "SUBMISSION",
            currency: currency
        )
        line.role = .total
        line.group = begun.group
        line.gross = gross
        line.net = net
        for (kind, amount) in [(FeeKind.discount, discount), (.service, service), (.tax, tax)] where amount != 0 {
            line.fees.append(LineFee(kind, -amount))
        }
        if submitted != currency { line.transactionAmount = Money(original, submitted) }
        fill(&line, payment, record)
        line.references[.merchant] = record[6, "submission merchant id"].id ?? line.references[.merchant]
        line.day = try record[7, "business submission date"].optionalDay() ?? line.day
        line.bookedDay = try record[8, "processing date"].optionalDay()
        line.references[.batch] = record[9, "submission invoice number"].unpaddedID
        let sum = Int128(gross) - Int128(discount) - Int128(service) - Int128(tax)
        try feet.check("submission-net", stated: net, sum: sum, of: line, into: sink)
        try payments.update(payment, line: record.line, initial: Details()) { details in
            details.gross += Int128(gross)
            details.discount += Int128(discount)
            details.service += Int128(service)
            details.tax += Int128(tax)
            details.submissions += Int128(net)
            details.records += 1
        }
        submission = begun
        try sink(.line(line))
    }

    mutating func transaction(_ record: GRRCNRecord, _ sink: StatementSink) throws {
        try record.requires(18)
        let payment = try GRRCNPayment(record, &currencies)
        let submitted = try submissionCurrencies.currency(record[10, "submission currency"])
        let amount = try record.amount(17, "transaction amount", submitted)
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: amount < 0 ? .refund : .capture,
            rawType: "TRANSACTN",
            currency: submitted
        )
        line.gross = amount
        // Without any submission in the file, nothing sums the transaction up.
        line.role = submissions == 0 ? .own : .part
        if let key = submission?.key, key == Self.key(record) {
            line.group = submission?.group
            submission?.listed += 1
            submission?.amount += Int128(amount)
        }
        fill(&line, payment, record)
        line.bookedDay = try record[8, "processing date"].optionalDay()
        line.references[.batch] = record[9, "submission invoice number"].unpaddedID
        line.references[.merchant] = record[6, "submission merchant id"].id ?? line.references[.merchant]
        line.references[.location] = record[11, "merchant location id"].id
        line.references[.invoice] = record[12, "invoice reference number"].text
        line.references[.lastFour] = CardDigits.lastFour(record[14, "cardmember account number"].bytes)
        line.references[.brand] = "amex"
        try time(&line, record)
        line.references[.processor] = record[20, "transaction id"].id
        line.references[.authCode] = record[21, "approval code"].id
        line.references[.terminal] = record[22, "terminal id"].id
        line.references[.arn] = record[25, "acquirer reference number"].id
        if let rejected = record[32, "transaction rejected indicator"].id { line.rawStatus = rejected }
        try sink(.line(line))
    }

    private static func key(_ record: GRRCNRecord) -> [String?] {
        [(6, "merchant"), (7, "submission date"), (8, "processing date"), (9, "invoice")].map { record[$0.0, $0.1].id }
    }

    private func time(_ line: inout StatementLine, _ record: GRRCNRecord) throws {
        guard let day = try record[18, "transaction date"].optionalDay() else { return }
        line.day = day
        let time = record[19, "transaction time"]
        guard !time.isEmpty else { return }
        guard let microseconds = DateText.time(time.bytes) else {
            throw time.problem(.badDate, "A time as HHMMSS is expected.")
        }
        line.localTime = DateText.wall(day, microseconds)
    }

    /// Compares a submission with its transactions, if the file lists them.
    mutating func endSubmission(_ sink: StatementSink) throws {
        guard let ended = submission else { return }
        submission = nil
        guard ended.listed > 0 else { return }
        if let count = ended.count {
            try control(.count, "submission-transactions", ended.group, count, Int128(ended.listed), ended.line, sink)
        }
        try control(
            .total,
            "submission-gross",
            ended.group,
            ended.gross,
            ended.amount,
            ended.line,
            sink,
            ended.currency
        )
    }

    // MARK: Adjustments and fees

    mutating func adjustment(_ record: GRRCNRecord, isChargeback: Bool, _ sink: StatementSink) throws {
        try record.requires(24)
        let payment = try GRRCNPayment(record, &currencies)
        let currency = payment.currency
        let gross = try record.amount(19, "gross amount", currency)
        let net = try record.amount(23, "net amount", currency)
        let type: LineType = !isChargeback ? .adjustment : net > 0 ? .chargebackReversal : .chargeback
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: type,
            rawType: isChargeback ? "CHARGEBACK" : "ADJUSTMENT",
            currency: currency
        )
        line.gross = gross
        line.net = net
        var sum = Int128(gross)
        for (place, name, kind) in [
            (20, "discount amount", FeeKind.discount), (21, "service fee amount", .service), (22, "tax amount", .tax),
        ] {
            let amount = try record.amount(place, name, currency)
            guard amount != 0 else { continue }
            line.fees.append(LineFee(kind, -amount))
            sum -= Int128(amount)
        }
        fill(&line, payment, record)
        line.references[.merchant] = record[6, "submission merchant id"].id ?? line.references[.merchant]
        line.day = try record[7, "business submission date"].optionalDay() ?? line.day
        line.references[.location] = record[8, "merchant location id"].id
        line.references[.invoice] = record[9, "invoice reference number"].text
        line.references[.lastFour] = CardDigits.lastFour(record[11, "cardmember account number"].bytes)
        line.references[.brand] = "amex"
        line.bookedDay = try record[13, "processing date"].optionalDay()
        line.references[.batch] = record[14, "submission invoice number"].unpaddedID
        line.references[.related] = record[16, isChargeback ? "chargeback number" : "adjustment number"].id
        line.references[.text] = [record[17, "reason code"].text, record[18, "reason description"].text]
            .compactMap { $0 }.joined(separator: " ")
        try feet.check("adjustment-net", stated: net, sum: sum, of: line, into: sink)
        try payments.update(payment, line: record.line, initial: Details()) { details in
            details.adjustments += Int128(net)
            details.records += 1
        }
        try sink(.line(line))
    }

    mutating func fee(_ record: GRRCNRecord, _ sink: StatementSink) throws {
        try record.requires(8)
        var payment = try GRRCNPayment(record, &currencies, hasAccountType: false)
        // Fees name no account; they belong to the payment with their number.
        payment =
            summaries.last { $0.payment.number == payment.number && $0.payment.payee == payment.payee }?.payment
            ?? payment
        let currency = payment.currency
        for (place, name, text) in [
            (7, "fee or revenue amount", 8), (9, "asset billing amount", 10), (11, "asset billing tax", 10),
        ] {
            let amount = try record.amount(place, name, currency)
            guard amount != 0 else { continue }
            var line = StatementLine(
                line: record.line,
                side: .processor,
                type: amount < 0 ? .fee : .adjustment,
                rawType: "FEEREVENUE",
                currency: currency
            )
            line.gross = amount
            line.net = amount
            fill(&line, payment, record)
            line.references[.merchant] = record[5, "submission merchant id"].id ?? line.references[.merchant]
            line.references[.location] = record[6, "merchant location id"].id
            line.references[.text] = record[text, "description"].text
            line.references[.other] = name
            try payments.update(payment, line: record.line, initial: Details()) { details in
                details.adjustments += Int128(amount)
                details.records += 1
            }
            try sink(.line(line))
        }
    }
}
