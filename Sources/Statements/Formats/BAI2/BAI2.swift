import Canonical
import Payments

/// Balance reports of BAI2: files of groups of accounts of details, each with a trailer of totals.
///
/// Amounts are whole minor units of the account's currency. Control totals add up the amounts as written, whatever the
/// direction of the money. The direction is in the type code, and in the sign of the resulting lines.
struct BAI2: StatementReader {
    private var input = DecodedInput()
    private var splitter = LineSplitter()
    private var records = BAI2Records()
    private var report: BAI2Report
    private var isEncodingNoted = false

    init(_ options: StatementOptions) {
        report = BAI2Report(defaultCurrency: options.currency)
    }

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
        try lines.finish { text, line in
            try records.take(text, line: line) { try report.take($0, into: sink) }
        }
        try records.flush { try report.take($0, into: sink) }
        try report.finish(line: lines.number)
    }

    private mutating func split(_ bytes: ArraySlice<UInt8>, _ sink: StatementSink) throws {
        var lines = splitter
        defer { splitter = lines }
        try lines.read(bytes) { text, line in
            try records.take(text, line: line) { try report.take($0, into: sink) }
        }
    }
}
