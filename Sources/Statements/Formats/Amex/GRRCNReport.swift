import Canonical
import Payments
import Tables

/// The lines and controls of the records of GRRCN.
struct GRRCNReport: Sendable {
    /// The sums of the records of a payment.
    struct Details: Sendable {
        var gross: Int128 = 0
        var discount: Int128 = 0
        var service: Int128 = 0
        var tax: Int128 = 0
        var submissions: Int128 = 0
        var adjustments: Int128 = 0
        /// The number of records; a file may contain payments without their submissions.
        var records = 0

        mutating func add(_ other: Details) {
            gross += other.gross
            discount += other.discount
            service += other.service
            tax += other.tax
            submissions += other.submissions
            adjustments += other.adjustments
            records += other.records
        }
    }

    struct Summary: Sendable {
        var payment: GRRCNPayment
        var net: Int64
        var gross: Int64
        var discount: Int64
        var service: Int64
        var adjustments: Int64
        var tax: Int64
        var openingDebit: Int64
        var line: Int
    }

    /// A submission whose transactions are being read.
    struct Submission: Sendable {
        var group: String
        /// Merchant, days and number; its transactions repeat them.
        var key: [String?]
        var currency: Currency
        var gross: Int64
        var count: Int64?
        var line: Int
        var listed: Int64 = 0
        var amount: Int128 = 0
    }

    private(set) var line = 1
    var isBegun = false
    var isEmpty = true
    var records: Int64 = 0
    var sequence: Int64?
    var fileID = ""
    var currencies = CurrencyMemory()
    var submissionCurrencies = CurrencyMemory()
    var payments = ScopedSums<GRRCNPayment, Details>()
    var summaries: [Summary] = []
    var submission: Submission?
    var submissions = 0
    var feet = RowChecks()
    var pricing: (count: Int, line: Int)?
    var taxes: (count: Int, line: Int)?

    mutating func take(_ row: CSVRow, into sink: StatementSink) throws {
        line = row.line
        // Skips an empty line, or an old end-of-file character.
        if row.isBlank || (row.count == 1 && row[0].allSatisfy { $0 <= 0x20 }) { return }
        isEmpty = false
        let record = GRRCNRecord(row: row)
        let name = record[0, "record type"]
        if name.is("HEADER") { return try header(record) }
        guard isBegun else {
            throw name.problem(.misplacedRecord, "A record HEADER is expected.")
        }
        records += 1
        if name.is("TRANSACTN") { return try transaction(record, sink) }
        if name.is("TXNPRICING") {
            pricing = ((pricing?.count ?? 0) + 1, pricing?.line ?? record.line)
            return
        }
        try endSubmission(sink)
        if name.is("SUBMISSION") {
            try submission(record, sink)
        } else if name.is("SUMMARY") {
            try summary(record, sink)
        } else if name.is("CHARGEBACK") {
            try adjustment(record, isChargeback: true, sink)
        } else if name.is("ADJUSTMENT") {
            try adjustment(record, isChargeback: false, sink)
        } else if name.is("FEEREVENUE") {
            try fee(record, sink)
        } else if name.is("TAXRECORD") {
            taxes = ((taxes?.count ?? 0) + 1, taxes?.line ?? record.line)
        } else if name.is("TRAILER") {
            try trailer(record, sink)
        } else {
            let shown = String((name.text ?? "").prefix(20))
            try sink(.note(StatementNote(.unknownRecord, line: record.line, "Record \(shown)")))
        }
    }

    /// - Throws: `.empty` or `.truncated`.
    func finish() throws {
        if isEmpty { throw StatementProblem(.empty, line: 0, "The file is empty.") }
        guard !isBegun else {
            throw StatementProblem(.truncated, line: line, "The file ends before the record TRAILER.")
        }
    }

    // MARK: Header and trailer

    private mutating func header(_ record: GRRCNRecord) throws {
        guard !isBegun else {
            throw record[0, "record type"].problem(.misplacedRecord, "A file begins within another one.")
        }
        try record.requires(4)
        self = GRRCNReport(after: line)
        isBegun = true
        isEmpty = false
        records = 1
        let sequence = record[3, "sequence number"]
        self.sequence = sequence.isEmpty ? nil : try sequence.count()
        fileID = sequence.id ?? ""
        let version = record[6, "version"]
        guard Self.versions.contains(where: { version.bytes.elementsEqual($0.utf8) }) else {
            throw version.problem(.unknownFormat, "Versions \(Self.versions.joined(separator: " and ")) are read.")
        }
    }

    /// The versions whose fields are known. Both have the same ones at the same places.
    private static let versions = ["1.01", "2.01"]
    /// The number of fields of a record SUBMISSION, with its name and the filler before the exchange rate.
    private static let submissionFields = 32

    /// Refuses a SUBMISSION with another number of fields: its amounts would be read from the wrong places.
    func requireSubmission(_ record: GRRCNRecord) throws {
        guard record.row.count == Self.submissionFields else {
            throw StatementProblem(
                record.row.count < Self.submissionFields ? .recordTooShort : .unknownFormat,
                line: record.line,
                "A SUBMISSION has \(Self.submissionFields) fields, this one \(record.row.count)."
            )
        }
    }

    init() {}

    private init(after line: Int) {
        self.line = line
    }

    private mutating func trailer(_ record: GRRCNRecord, _ sink: StatementSink) throws {
        try record.requires(3)
        let scope = "file \(fileID)"
        if let sequence {
            try control(
                .count,
                "file-sequence",
                scope,
                try record[1, "sequence number"].count(),
                Int128(sequence),
                record.line,
                sink
            )
        }
        let count = try record[2, "record count"].count()
        try control(.count, "file-records", scope, count, Int128(records), record.line, sink)
        try feet.report("submissions-that-foot", scope: scope, line: record.line, into: sink)
        let alone = paymentsOfOneAccount
        for summary in summaries {
            try check(summary, alone.contains(summary.payment.withoutAccount), sink)
        }
        let known = Set(summaries.map(\.payment)).union(alone)
        for entry in payments.entries where !known.contains(entry.key) {
            let detail = "\(entry.key.name) has details and no SUMMARY."
            try sink(.note(StatementNote(.unchecked, line: record.line, detail)))
        }
        if let pricing {
            let detail = "\(pricing.count) records TXNPRICING, below the minor unit: in no line."
            try sink(.note(StatementNote(.information, line: pricing.line, detail)))
        }
        if let taxes {
            let detail = "\(taxes.count) records TAXRECORD, within the payments' tax: in no line."
            try sink(.note(StatementNote(.information, line: taxes.line, detail)))
        }
        isBegun = false
    }

    // MARK: Payments

    private mutating func summary(_ record: GRRCNRecord, _ sink: StatementSink) throws {
        try record.requires(13)
        let payment = try GRRCNPayment(record, &currencies)
        let currency = payment.currency
        let summary = Summary(
            payment: payment,
            net: try record.amount(7, "payment net amount", currency),
            gross: try record.amount(8, "payment gross amount", currency),
            discount: try record.amount(9, "payment discount amount", currency),
            service: try record.amount(10, "payment service fee amount", currency),
            adjustments: try record.amount(11, "payment adjustment amount", currency),
            tax: try record.amount(12, "payment tax amount", currency),
            openingDebit: try record.amount(13, "opening debit balance", currency),
            line: record.line
        )
        guard summaries.count < ScopedSums<GRRCNPayment, Details>.limit else {
            throw StatementProblem(.tooLarge, line: record.line, "The file has more payments than are read.")
        }
        summaries.append(summary)
        let account = record[16, "iban"].id ?? record[14, "direct deposit number"].id
        try sink(
            .section(
                StatementSection(
                    line: record.line,
                    id: payment.number,
                    account: payment.payee,
                    currency: currency,
                    from: payment.day,
                    to: payment.day
                )
            )
        )
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: .payout,
            rawType: "SUMMARY",
            currency: currency
        )
        line.gross = -summary.net
        line.net = -summary.net
        fill(&line, payment, record)
        line.references[.account] = account
        line.references[.related] = record[6, "unique payment reference"].id
        try sink(.line(line))
        if summary.openingDebit != 0 {
            // An earlier debt is in no other line, and reduces the payment.
            var carried = StatementLine(
                line: record.line,
                side: .processor,
                type: .transfer,
                rawType: "OPENING DEBIT BALANCE",
                currency: currency
            )
            carried.gross = summary.openingDebit
            carried.net = summary.openingDebit
            fill(&carried, payment, record)
            try sink(.line(carried))
        }
    }

    /// Payments with exactly one summary, without its account type: records may omit that.
    private var paymentsOfOneAccount: Set<GRRCNPayment> {
        var counts: [GRRCNPayment: Int] = [:]
        for summary in summaries { counts[summary.payment.withoutAccount, default: 0] += 1 }
        return Set(counts.lazy.filter { $0.value == 1 }.map(\.key))
    }

    /// - Parameter isAlone: True if no summary of another account has the payment's number.
    private func check(_ summary: Summary, _ isAlone: Bool, _ sink: StatementSink) throws {
        let (payment, currency) = (summary.payment, summary.payment.currency)
        let net =
            Int128(summary.gross) - Int128(summary.discount) - Int128(summary.service) - Int128(summary.tax)
            + Int128(summary.adjustments) + Int128(summary.openingDebit)
        try control(.total, "payment-net", payment.name, summary.net, net, summary.line, sink, currency)
        var details = payments[payment] ?? Details()
        if isAlone, !payment.account.isEmpty, let unnamed = payments[payment.withoutAccount] { details.add(unnamed) }
        guard details.records > 0 else {
            let detail = "\(payment.name) has no details to add up."
            return try sink(.note(StatementNote(.unchecked, line: summary.line, detail)))
        }
        for (name, stated, sum) in [
            ("payment-gross", summary.gross, details.gross),
            ("payment-discount", summary.discount, details.discount),
            ("payment-service-fee", summary.service, details.service),
            ("payment-tax", summary.tax, details.tax),
            ("payment-adjustments", summary.adjustments, details.adjustments),
        ] {
            try control(.total, name, payment.name, stated, sum, summary.line, sink, currency)
        }
        let sum = details.submissions + details.adjustments + Int128(summary.openingDebit)
        try control(.total, "payment-details", payment.name, summary.net, sum, summary.line, sink, currency)
    }

    func control(
        _ kind: StatementControl.Kind,
        _ name: String,
        _ scope: String,
        _ stated: Int64,
        _ sum: Int128,
        _ line: Int,
        _ sink: StatementSink,
        _ currency: Currency? = nil
    ) throws {
        let control = StatementControl(
            kind,
            name,
            scope: scope,
            stated: stated,
            sum: sum,
            currency: currency,
            line: line
        )
        try sink(.control(control))
    }

    func fill(_ line: inout StatementLine, _ payment: GRRCNPayment, _ record: GRRCNRecord) {
        line.valueDay = payment.day
        line.references[.payout] = payment.number.isEmpty ? nil : payment.number
        line.references[.merchant] = payment.payee.isEmpty ? nil : payment.payee
        line.day = payment.day
    }
}
