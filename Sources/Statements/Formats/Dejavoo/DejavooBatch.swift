import Canonical
import Payments

/// Dejavoo's batches: transactions in iPOSgo's answers, the answers to batch settlements, and SPIn's totals of a batch
/// by application. A file contains any of them, one after another or as a list.
struct DejavooBatch: JSONRows {
    /// The sums of the transactions of a batch.
    private struct Sums: Sendable {
        var sales: Int128 = 0
        var returns: Int128 = 0
        var count: Int64 = 0
        var voids: Int64 = 0
    }

    private struct BatchKey: Hashable, Sendable {
        /// Empty if a transaction does not name it.
        var terminal: String
        var number: String
    }

    /// The totals that a settlement or a report states for a batch.
    private struct Statement: Sendable {
        var key: BatchKey
        var totals: DejavooTotals
        var line: Int
    }

    private let currency: Currency
    private let isCurrencyGiven: Bool
    private var isCurrencyNoted = false
    private var unknown = UnknownCodes()
    private var sums = ScopedSums<BatchKey, Sums>()
    private var statements: [Statement] = []
    private var settled: Set<BatchKey> = []
    private var isFound = false

    init(_ options: StatementOptions) {
        currency = options.currency ?? .usd
        isCurrencyGiven = options.currency != nil
    }

    mutating func take(_ record: JSONRecord, into sink: StatementSink) throws {
        if !isCurrencyGiven, !isCurrencyNoted {
            isCurrencyNoted = true
            try sink(
                .note(StatementNote(.assumedCurrency, line: record.line, "The currency is assumed to be US dollars."))
            )
        }
        if let answer = record.object("Spin_Response") {
            try transaction(answer, outer: record, sink)
        } else if record.has("ExtData") {
            try transaction(record, outer: record, sink)
        } else if record.has("batch_no"), record.has("statusCode") {
            try settlement(record, sink)
        } else if record.has("SettleDetails") || record.has("SummaryDetails") {
            try report(record, sink)
        } else {
            try sink(.note(StatementNote(.unknownRecord, line: record.line, "An object of an unknown shape")))
            return
        }
        isFound = true
    }

    // MARK: Transactions

    private mutating func transaction(_ answer: JSONRecord, outer: JSONRecord, _ sink: StatementSink) throws {
        let details = answer.object("ExtData") ?? answer
        guard let amount = try details["TotalAmt", "TotalAmount", "Amount"].printedAmount(currency) else {
            throw details["TotalAmt"].problem(.missingValue, "A transaction has a total amount.")
        }
        let label = details["txnLabel"]
        let number = details["TxnType"]
        let found = Self.type(label: label, number: number)
        var line = StatementLine(
            line: answer.line,
            side: .processor,
            type: found ?? .other,
            rawType: label.text ?? number.text,
            currency: currency
        )
        if found == nil { try unknown.note(line.rawType ?? "", line: line.line, "Type of transaction", into: sink) }
        let code = answer["ResultCode"].isEmpty ? details["RespCode"] : answer["ResultCode"]
        let isApproved = code.bytes.allSatisfy { $0 == 0x30 }
        let isMoney = isApproved && [.sale, .capture, .refund].contains(line.type)
        line.gross = line.type == .refund ? -amount : amount
        line.net = isMoney ? line.gross : 0
        line.rawStatus = (answer["Message"].isEmpty ? answer["RespMsg"] : answer["Message"]).text
        let time = details["DateTime"]
        if let (wall, _) = DateText.dayAndTime(time.bytes) {
            line.localTime = wall
            line.day = wall.day
        } else if !time.isEmpty {
            throw time.problem(.badDate, "A time as YYYYMMDDhhmmss is expected.")
        }
        references(answer, details, outer, &line)
        let key = BatchKey(terminal: line.references[.terminal] ?? "", number: line.references[.batch] ?? "")
        let kind = line.type
        try sums.update(key, line: line.line, initial: Sums()) { sums in
            if kind == .void, isApproved { sums.voids += 1 }
            guard isMoney else { return }
            sums.count += 1
            if kind == .refund { sums.returns += Int128(amount) } else { sums.sales += Int128(amount) }
        }
        try sink(.line(line))
    }

    /// The numbers are those of deep linking; other interfaces of the vendor use others, so the label takes precedence.
    private static func type(label: Field, number: Field) -> LineType? {
        let word = JSONRecord.plain(label.text ?? "")
        switch word {
        case "sale": return .sale
        case "refund", "return": return .refund
        case "void": return .void
        case "preauth", "auth", "authorization": return .authorization
        case "ticket", "capture", "tipadjust": return .capture
        case "": break
        default: return nil
        }
        return number.is("1") ? .sale : number.is("2") ? .refund : nil
    }

    private func references(
        _ answer: JSONRecord,
        _ details: JSONRecord,
        _ outer: JSONRecord,
        _ line: inout StatementLine
    ) {
        line.references[.processor] = details["txnId"].id
        line.references[.related] = answer["RefId"].id
        line.references[.other] = details["HostTxnId"].id
        line.references[.rrn] = (details["RRN"].isEmpty ? answer["PNRef"] : details["RRN"]).id
        line.references[.authCode] = answer["AuthCode"].id
        line.references[.trace] = details["TraceNum"].id
        line.references[.invoice] = answer["TransNum"].text
        line.references[.batch] = details["BatchNum"].unpaddedID
        line.references[.lastFour] = CardDigits.lastFour(details["AcntLast4"].bytes)
        line.references[.brand] = details["CardType"].isEmpty ? answer["CardType"].id : details["CardType"].id
        let terminal = details["Tpn"].isEmpty ? answer["Tpn"] : details["Tpn"]
        line.references[.terminal] = (terminal.isEmpty ? outer["Tpn"] : terminal).id
    }

    // MARK: Settlements and reports

    /// Reads the answer to a batch settlement. It names the batch and whether it was settled; it has no amounts.
    private mutating func settlement(_ record: JSONRecord, _ sink: StatementSink) throws {
        let number = record["batch_no"]
        guard let batch = number.unpaddedID else { throw number.problem(.missingValue, "A batch number is expected.") }
        let key = BatchKey(terminal: record["Tpn"].id ?? "", number: batch)
        var line = batchLine(record, key)
        line.rawType = record["transaction_title"].text
        line.rawStatus = record["status"].text ?? record["statusCode"].text
        line.references[.processor] = record["transaction_id"].id
        let time = record["timeStamp"]
        if let (wall, _) = DateText.dayAndTime(time.bytes) {
            line.localTime = wall
            line.day = wall.day
            line.bookedDay = wall.day
        } else if !time.isEmpty {
            throw time.problem(.badDate, "A time as YYYYMMDDhhmmss is expected.")
        }
        guard statements.count < 1 << 18 else {
            throw StatementProblem(.tooLarge, line: record.line, "The file has more batches than are read.")
        }
        if !settled.insert(key).inserted {
            let detail = "Batch \(key.number) of terminal \(key.terminal) is settled again."
            try sink(.note(StatementNote(.duplicateBatch, line: record.line, detail)))
        }
        if let applications = try record.objects("SettleDetails") {
            let totals = try applications.map { try DejavooTotals($0, currency) }
            if let all = DejavooTotals.sum(totals) {
                statements.append(Statement(key: key, totals: all, line: record.line))
            }
        }
        try sink(.line(line))
    }

    /// Reads a report of SPIn: totals of a batch for each application on the terminal.
    private mutating func report(_ record: JSONRecord, _ sink: StatementSink) throws {
        let terminal = record["Tpn"].isEmpty ? record.object("request")?["Tpn"].id : record["Tpn"].id
        let number = record["BatchNumber", "BatchNo", "BatchNum"].unpaddedID
        let key = BatchKey(terminal: terminal ?? "", number: number ?? "")
        let listed = try record.objects("Transactions") ?? []
        for transaction in listed { try self.transaction(transaction, outer: record, sink) }
        let applications = try record.objects("SettleDetails") ?? record.objects("SummaryDetails") ?? []
        var totals: [DejavooTotals] = []
        for application in applications {
            let found = try DejavooTotals(application, currency)
            totals.append(found)
            var line = batchLine(record, key)
            line.rawType = application["Application"].text
            line.rawStatus = application["HostStatus"].text
            line.references[.text] = application["DetailedMessage", "Message"].text
            // If transactions are listed, they have the money.
            if listed.isEmpty {
                line.gross = found.total
                line.net = found.total
            }
            try found.check("application \(line.rawType ?? "?") line \(record.line)", currency, record.line, sink)
            try sink(.line(line))
        }
        if !listed.isEmpty, let all = DejavooTotals.sum(totals) {
            statements.append(Statement(key: key, totals: all, line: record.line))
        }
    }

    private func batchLine(_ record: JSONRecord, _ key: BatchKey) -> StatementLine {
        var line = StatementLine(line: record.line, side: .processor, type: .batch, currency: currency)
        line.role = .total
        line.group = "batch \(key.terminal) \(key.number)"
        line.references[.terminal] = key.terminal.isEmpty ? nil : key.terminal
        line.references[.batch] = key.number.isEmpty ? nil : key.number
        return line
    }

    // MARK: Controls

    mutating func finish(into sink: StatementSink) throws {
        guard isFound else {
            throw StatementProblem(.unknownFormat, line: 1, "The file holds no transactions, settlements or reports.")
        }
        for statement in statements {
            var found = sums[statement.key] ?? Sums()
            if !statement.key.terminal.isEmpty,
                let others = sums[BatchKey(terminal: "", number: statement.key.number)]
            {
                found.sales += others.sales
                found.returns += others.returns
                found.count += others.count
                found.voids += others.voids
            }
            try statement.totals.compare(
                "batch \(statement.key.number) terminal \(statement.key.terminal)",
                sales: found.sales,
                returns: found.returns,
                count: found.count,
                voids: found.voids,
                currency,
                statement.line,
                sink
            )
        }
    }
}
