import Canonical
import Payments

/// American Express reconciliation of fixed width: payments, and the submissions, chargebacks, adjustments and fees
/// that make them up. Several files may follow one another.
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
        try lines.finish { text, line in try take(text, line: line, sink) }
        try report.finish(line: lines.number)
    }

    private mutating func split(_ bytes: ArraySlice<UInt8>, _ sink: StatementSink) throws {
        var lines = splitter
        defer { splitter = lines }
        try lines.read(bytes) { text, line in try take(text, line: line, sink) }
    }

    /// The length of every record, including trailing blanks.
    private static let recordLength = 450

    /// Reads a line: one record, or several if line ends were lost.
    private mutating func take(_ text: ArraySlice<UInt8>, line: Int, _ sink: StatementSink) throws {
        var rest = text
        while true {
            let record = FixedRecord(bytes: rest, line: line)
            guard record.count > Self.recordLength else { return try report.take(record, into: sink) }
            let first = record[1...Self.recordLength]
            rest = rest[first.endIndex...]
            try report.take(FixedRecord(bytes: first, line: line), into: sink)
            if rest.allSatisfy({ $0 <= 0x20 }) { return }
            let next = FixedRecord(bytes: rest, line: line)
            let mark = next[1, 5]
            guard next.count.isMultiple(of: Self.recordLength) || mark.is("DFHDR") || mark.is("DFTRL") else {
                throw StatementProblem(
                    .malformedRow,
                    line: line,
                    column: .character(record.count),
                    "A record has \(Self.recordLength) characters; this line has \(record.count)."
                )
            }
        }
    }
}
