import Canonical
import Payments

/// Bank to customer statements and notifications of ISO 20022: camt.053 and camt.054, versions 02 and later. Elements
/// are found by name, so additions and moves in later versions do not matter.
struct Camt: StatementReader {
    private let format: StatementFormat
    private var documents = MarkupDocuments()

    /// - Parameter format: `.camt053` or `.camt054`.
    init(_ format: StatementFormat) {
        self.format = format
    }

    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws {
        try documents.read(bytes)
    }

    mutating func finish(into sink: StatementSink) throws {
        for document in try documents.finish() {
            if document.isEncodingAssumed {
                let note = StatementNote(.assumedEncoding, line: document.firstLine, "Read as Windows-1252.")
                try sink(.note(note))
            }
            var message = CamtMessage(format)
            var reader = try ElementReader(document.bytes, firstLine: document.firstLine)
            try reader.read(isOpened: CamtMessage.isOpened) { try message.take($0, into: sink) }
            try message.finish()
        }
    }
}

/// One message with its statements.
private struct CamtMessage {
    private static let messages = [
        "BkToCstmrStmt": StatementFormat.camt053, "BkToCstmrDbtCdtNtfctn": .camt054,
    ]

    let format: StatementFormat
    private var isFound = false
    private var statement: CamtStatement?

    init(_ format: StatementFormat) {
        self.format = format
    }

    /// Elements whose children are passed on one by one: everything around the message, the message, and its
    /// statements.
    static func isOpened(_ path: [String]) -> Bool {
        guard let place = path.firstIndex(where: { messages[$0] != nil }) else { return true }
        return path.count == place + 1 || (path.count == place + 2 && ["Stmt", "Ntfctn"].contains(path[place + 1]))
    }

    mutating func take(_ event: ElementEvent, into sink: StatementSink) throws {
        switch event {
        case .begins(let name, let line):
            if let found = Self.messages[name] { return try begin(found, line) }
            if isFound, name == "Stmt" || name == "Ntfctn" { statement = CamtStatement(line: line, format: format) }
            if name == "BkToCstmrAcctRpt" {
                throw StatementProblem(
                    .unknownFormat,
                    line: line,
                    "An account report (camt.052) is not final; a statement (camt.053) is needed."
                )
            }
        case .ends(let name, let line):
            guard name == "Stmt" || name == "Ntfctn" else { return }
            try statement?.finish(line: line, into: sink)
            statement = nil
        case .element(let element):
            // Headers name the sender and count messages, not money.
            try statement?.take(element, into: sink)
        }
    }

    private mutating func begin(_ found: StatementFormat, _ line: Int) throws {
        guard found == format else {
            throw StatementProblem(
                .unknownFormat,
                line: line,
                "The document is \(found.rawValue), but \(format.rawValue) was given."
            )
        }
        isFound = true
    }

    func finish() throws {
        guard isFound else {
            throw StatementProblem(.unknownFormat, line: 1, "The document holds no message of \(format.rawValue).")
        }
    }
}
