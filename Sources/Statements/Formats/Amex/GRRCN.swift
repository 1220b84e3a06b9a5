import Tables

/// American Express global reconciliation in its delimited forms, versions 1.01 and 2.01: named records without
/// a header row. Files may follow one another.
struct GRRCN: StatementReader {
    private var input = DecodedInput()
    private var head: [UInt8] = []
    private var scanner: CSVScanner?
    private var report = GRRCNReport()
    private var isEncodingNoted = false

    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws {
        var decoded = input
        defer { input = decoded }
        try decoded.read(bytes) { try scan($0, sink) }
        guard decoded.isWindows1252, !isEncodingNoted else { return }
        isEncodingNoted = true
        try sink(.note(StatementNote(.assumedEncoding, line: report.line, "Read as Windows-1252.")))
    }

    mutating func finish(into sink: StatementSink) throws {
        var decoded = input
        try decoded.finish { try scan($0, sink) }
        guard var scan = scanner else {
            if head.allSatisfy({ $0 <= 0x20 }) { throw StatementProblem(.empty, line: 0, "The file is empty.") }
            throw Self.notGRRCN
        }
        do {
            try scan.finish { try report.take($0, into: sink) }
        } catch let malformed as CSVReader.Malformed {
            throw malformed.problem
        }
        try report.finish()
    }

    private static let notGRRCN = StatementProblem(
        .unknownFormat,
        line: 1,
        column: .character(1),
        "A delimited GRRCN begins with a record HEADER; the form of fixed width is not read."
    )

    private mutating func scan(_ bytes: ArraySlice<UInt8>, _ sink: StatementSink) throws {
        var bytes = bytes
        if scanner == nil {
            head += bytes
            guard let delimiter = try Self.delimiter(head) else { return }
            scanner = CSVScanner(CSVForm(delimiter: delimiter))
            bytes = head[...]
            head = []
        }
        guard var scan = scanner else { return }
        defer { scanner = scan }
        do {
            try scan.read(bytes) { try report.take($0, into: sink) }
        } catch let malformed as CSVReader.Malformed {
            throw malformed.problem
        }
    }

    /// The character after the name of the first record. Nil if more bytes are needed.
    private static func delimiter(_ head: [UInt8]) throws -> UInt8? {
        var rest = head[...].drop { $0 == 0x0A || $0 == 0x0D || $0 == 0x20 }
        if rest.isEmpty { return nil }
        let isQuoted = rest.first == 0x22
        if isQuoted { rest = rest.dropFirst() }
        let name = Array("HEADER".utf8)
        guard rest.count >= name.count + 2 else {
            guard name.starts(with: rest.prefix(name.count)) || rest.starts(with: name) else { throw notGRRCN }
            return nil
        }
        guard rest.starts(with: name) else { throw notGRRCN }
        rest = rest.dropFirst(name.count)
        if isQuoted {
            guard rest.first == 0x22 else { throw notGRRCN }
            rest = rest.dropFirst()
        }
        guard let delimiter = rest.first, [0x2C, 0x09, 0x7C, 0x3B].contains(delimiter) else { throw notGRRCN }
        return delimiter
    }
}
