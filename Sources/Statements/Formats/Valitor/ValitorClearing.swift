import Canonical
import Payments

/// Clearing files of Rapyd (formerly Valitor), fixed width: batches of sales (05), refunds (06) and cash (07). The
/// total in a batch's trailer adds up all amounts, refunds included (specs.valitor.is, clearing, file structure).
struct ValitorClearing: StatementReader {
    private var input = DecodedInput()
    private var splitter = LineSplitter()
    private var report = ValitorReport()
    private var isEncodingNoted = false

    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws {
        var decoded = input
        defer { input = decoded }
        try decoded.read(bytes) { try split($0, sink) }
        guard decoded.isWindows1252, !isEncodingNoted else { return }
        isEncodingNoted = true
        try sink(.note(StatementNote(.assumedEncoding, line: splitter.number, "Read as Windows-1252.")))
    }

    mutating func finish(into sink: StatementSink) throws {
        var decoded = input
        try decoded.finish { try split($0, sink) }
        var lines = splitter
        try lines.finish { text, line in try report.take(text, line: line, into: sink) }
        try report.finish(line: lines.number)
    }

    private mutating func split(_ bytes: ArraySlice<UInt8>, _ sink: StatementSink) throws {
        var lines = splitter
        defer { splitter = lines }
        try lines.read(bytes) { text, line in try report.take(text, line: line, into: sink) }
    }
}

/// The lines and controls of the records.
private struct ValitorReport: Sendable {
    private struct Batch: Sendable {
        /// Merchant, terminal and number; repeated by the trailer.
        var key: String
        var merchant: String?
        var terminal: String?
        var number: String?
        var currency: Currency
        var day: CivilDate
        var line: Int
        var count: Int64 = 0
        var hash: Int128 = 0
    }

    private var isBegun = false
    private var isEmpty = true
    private var sender = ""
    private var batch: Batch?
    private var batches: Int64 = 0
    private var transactions: Int64 = 0
    private var keys: Set<String> = []

    mutating func take(_ text: ArraySlice<UInt8>, line: Int, into sink: StatementSink) throws {
        let record = FixedRecord(bytes: text, line: line)
        guard text.contains(where: { $0 > 0x20 }) else { return }
        isEmpty = false
        let type = record[1, 2].id ?? ""
        if type == "90" {
            guard !isBegun else { throw misplaced(record, "A file begins (90) within another one.") }
            self = ValitorReport()
            (isBegun, isEmpty) = (true, false)
            sender = try record.needed(3, 6).id ?? ""
            return
        }
        guard isBegun else { throw misplaced(record, "The header of a file (90) is expected.") }
        switch type {
        case "96": try begin(record, sink)
        case "05", "06", "07": try transaction(record, type, sink)
        case "97": try end(record, sink)
        case "98": try trailer(record, sink)
        default:
            let shown = String((record[1, 2].text ?? "").prefix(2))
            try sink(.note(StatementNote(.unknownRecord, line: line, "Record type \(shown)")))
        }
    }

    func finish(line: Int) throws {
        if isEmpty { throw StatementProblem(.empty, line: 0, "The file is empty.") }
        if isBegun { throw StatementProblem(.truncated, line: line, "The file ends before its trailer (98).") }
    }

    private func misplaced(_ record: FixedRecord, _ detail: String) -> StatementProblem {
        record[1, 2].problem(.misplacedRecord, detail)
    }

    // MARK: Batches

    private mutating func begin(_ record: FixedRecord, _ sink: StatementSink) throws {
        guard batch == nil else { throw misplaced(record, "A batch begins (96) within another one.") }
        let key = try record.needed(3, 24).id ?? ""
        let begun = Batch(
            key: key,
            merchant: record[3, 6].id,
            terminal: record[9, 8].id,
            number: record[17, 10].id,
            currency: try record.needed(81, 3).currency(),
            day: try record.needed(27, 10).day(),
            line: record.line
        )
        batch = begun
        batches += 1
        // A terminal may reuse a number after half a year, not within a file.
        if keys.count < 1 << 18, !keys.insert(key).inserted {
            let detail = "Terminal \(begun.terminal ?? "") sends batch \(begun.number ?? "") again."
            try sink(.note(StatementNote(.duplicateBatch, line: record.line, detail)))
        }
        try sink(
            .section(
                StatementSection(
                    line: record.line,
                    id: begun.number,
                    account: begun.merchant,
                    currency: begun.currency,
                    from: begun.day,
                    to: begun.day
                )
            )
        )
    }

    private mutating func end(_ record: FixedRecord, _ sink: StatementSink) throws {
        guard let ended = batch else { throw misplaced(record, "A batch ends (97) that has not begun.") }
        let key = try record.needed(3, 24)
        guard key.id == ended.key else {
            throw key.problem(.misplacedRecord, "The trailer of a batch repeats the key of its header.")
        }
        let scope = "batch \(ended.number ?? "") line \(ended.line)"
        let count = try record.needed(27, 6).count()
        let total = try record.needed(33, 15).count()
        try sink(
            .control(
                StatementControl(
                    .count,
                    "batch-transactions",
                    scope: scope,
                    stated: count,
                    computed: ended.count,
                    line: record.line
                )
            )
        )
        try sink(
            .control(
                StatementControl(
                    .hashTotal,
                    "batch-total",
                    scope: scope,
                    stated: total,
                    sum: ended.hash,
                    currency: ended.currency,
                    line: record.line
                )
            )
        )
        batch = nil
    }

    private mutating func trailer(_ record: FixedRecord, _ sink: StatementSink) throws {
        guard batch == nil else { throw misplaced(record, "The file ends (98) within a batch.") }
        let count = try record.needed(9, 6).count()
        // The document's example has one batch with one transaction, and does not state which of them is counted.
        let computed = count == transactions ? transactions : batches
        try sink(
            .control(
                StatementControl(
                    .count,
                    "file-count",
                    scope: "file \(sender)",
                    stated: count,
                    computed: computed,
                    line: record.line
                )
            )
        )
        isBegun = false
    }

    // MARK: Transactions

    private mutating func transaction(_ record: FixedRecord, _ type: String, _ sink: StatementSink) throws {
        guard let batch else { throw misplaced(record, "A transaction is outside a batch (96).") }
        guard let date = Self.date(record.bytes) else {
            throw record[1, 2].problem(
                .badDate,
                "A transaction has a day like 2026-01-02 after its amount and currency."
            )
        }
        // Card numbers with fewer digits are padded, in some files with fewer blanks; so the following fields are
        // located from the day backwards.
        let offset = record.position(at: date)
        let amount = record[offset - 15, 12]
        let currency = try record[offset - 3, 3].currency()
        let value = try amount.count()
        var line = StatementLine(
            line: record.line,
            side: .processor,
            type: type == "06" ? .refund : .sale,
            rawType: type,
            currency: currency
        )
        line.gross = type == "06" ? -value : value
        line.net = line.gross
        line.day = try record[offset, 10].day()
        line.bookedDay = batch.day
        line.references[.brand] = record[3, 1].id
        line.references[.lastFour] = CardDigits.lastFour(record[4, offset - 19].bytes)
        line.references[.authCode] = record[offset + 10, 6].id
        line.references[.other] = record[offset + 16, 14].text
        line.references[.merchant] = batch.merchant
        line.references[.terminal] = batch.terminal
        line.references[.batch] = batch.number
        self.batch?.count += 1
        self.batch?.hash += Int128(value)
        transactions += 1
        try sink(.line(line))
    }

    /// The start of the day: after a card number of at least 13 characters, 12 digits of amount and a currency.
    private static func date(_ bytes: ArraySlice<UInt8>) -> Int? {
        let first = bytes.startIndex + 3 + 13 + 15
        guard bytes.count >= 3 + 13 + 15 + 10 else { return nil }
        for place in first...(bytes.endIndex - 10) {
            let text = bytes[place..<(place + 10)]
            guard text[place + 4] == UInt8(ascii: "-"), text[place + 7] == UInt8(ascii: "-"),
                text.count(where: { $0 &- 0x30 < 10 }) == 8
            else { continue }
            return place
        }
        return nil
    }
}
