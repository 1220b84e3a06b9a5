/// Converts the documents of a JSON file in one format to statement items.
protocol JSONRows: Sendable {
    mutating func take(_ record: JSONRecord, into sink: StatementSink) throws
    mutating func finish(into sink: StatementSink) throws
}

/// Reads a JSON file and passes its documents to a format.
struct JSONFile<Rows: JSONRows>: StatementReader {
    private var documents = JSONDocuments()
    private var rows: Rows
    private var isEncodingNoted = false

    init(_ rows: Rows) {
        self.rows = rows
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws {
        var found = documents
        defer { documents = found }
        try found.read(bytes) { try rows.take($0, into: sink) }
        guard found.isWindows1252, !isEncodingNoted else { return }
        isEncodingNoted = true
        try sink(.note(StatementNote(.assumedEncoding, line: 1, "Read as Windows-1252.")))
    }

    mutating func finish(into sink: StatementSink) throws {
        var found = documents
        try found.finish { try rows.take($0, into: sink) }
        try rows.finish(into: sink)
    }
}
