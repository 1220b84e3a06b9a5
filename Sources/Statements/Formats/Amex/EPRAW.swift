import Canonical
import Payments

/// American Express reconciliation of fixed width: payments, and the submissions, chargebacks, adjustments and fees
/// that they are made of. Several files may stand one after another.
struct EPRAW: StatementReader {
    private var input = DecodedInput()
    private var splitter = LineSplitter()
    private var report: EPRAWReport
    private var isEncodingNoted = false

    init(_ options: StatementOptions) {
        report = EPRAWReport(currency: options.currency)
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
        try lines.finish { text, line in try report.take(FixedRecord(bytes: text, line: line), into: sink) }
        try report.finish(line: lines.number)
    }

    private mutating func split(_ bytes: ArraySlice<UInt8>, _ sink: StatementSink) throws {
        var lines = splitter
        defer { splitter = lines }
        try lines.read(bytes) { text, line in try report.take(FixedRecord(bytes: text, line: line), into: sink) }
    }
}
