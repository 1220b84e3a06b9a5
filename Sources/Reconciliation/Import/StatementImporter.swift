package import Canonical
import Crypto
package import EventLog
package import Intake
import Payments
import Redaction
package import Statements

/// Imports statement files. A file is read twice: first to its end, so that nothing of a malformed file is recorded,
/// and then again to record its content. The same bytes are the same statement until it is withdrawn, and an
/// interrupted import continues where it stopped.
package struct StatementImporter: Sendable {
    /// The parameters of an import.
    package struct Request: Sendable {
        /// Nil to detect the format from the file.
        package var format: StatementFormat?
        package var options: StatementOptions
        /// SHA-256 of the mapping in the options, in hexadecimal digits.
        package var mappingDigest: String?
        /// The mapping as it is recorded.
        package var mappingRules: JSONValue?
        /// The sender's name of the file; card numbers in it are masked.
        package var name: String?

        package init(
            format: StatementFormat? = nil,
            options: StatementOptions = .init(),
            mappingDigest: String? = nil,
            name: String? = nil
        ) {
            self.format = format
            self.options = options
            self.mappingDigest = mappingDigest
            self.name = name
        }

        /// The longest mapping, in bytes.
        package static let longestMapping = 64 << 10

        /// Sets the mapping for a CSV file. The mapping is recorded with the statement.
        ///
        /// - Parameter bytes: The content of a mapping file; see docs/statements.md.
        /// - Throws: `.badMapping` for an invalid mapping, for one that is too long, and for text that must not be
        ///   stored.
        package mutating func use(mapping bytes: [UInt8]) throws(StatementProblem) {
            guard bytes.count <= Self.longestMapping else {
                throw StatementProblem(.badMapping, line: 0, "A mapping has at most \(Self.longestMapping) bytes.")
            }
            options.mapping = try CSVMapping(parsing: bytes)
            // It has been read above.
            guard let reported = try? JSONValue(parsing: bytes),
                TextScrubber().scrub(reported.text).text == reported.text
            else {
                throw StatementProblem(
                    .badMapping,
                    line: 0,
                    "The mapping has text that resembles card data, which is not stored."
                )
            }
            do {
                try IntakeProblem.checkText(of: reported)
            } catch {
                throw StatementProblem(.badMapping, line: 0, error.detail)
            }
            mappingRules = reported
            mappingDigest = SHA256.hash(data: bytes)
                .map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    /// The result of an import.
    package struct Outcome: Sendable, Hashable {
        package var id: UUID128
        package var statement: StatementImport
        /// The position of the event that completed the import.
        package var position: Int64
        /// True when the file had been imported before.
        package var isRepeat: Bool
    }

    /// The reason why a well-formed file is not imported.
    package enum Refusal: Error, Hashable, Sendable {
        /// The same bytes were imported before with another format or other options.
        case readOtherwise(id: UUID128, format: String)
        /// Another process is importing the same file, or the file changed while it was read. Try again.
        case disturbed
    }

    private static let chunkBytes = 256 << 10

    private let sequencer: Sequencer
    private let reader: EventReader
    private let ids: any UUIDGenerator
    private let clock: any WallClock

    package init(sequencer: Sequencer, reader: EventReader, ids: any UUIDGenerator, clock: any WallClock) {
        self.sequencer = sequencer
        self.reader = reader
        self.ids = ids
        self.clock = clock
    }

    /// Imports a file.
    ///
    /// - Parameter progress: Called with the number of recorded lines and the total.
    /// - Throws: `StatementProblem` for a file that cannot be read; `Refusal`; `IntakeProblem` when the log rejects
    ///   the events; the errors of `source`.
    package func `import`(
        _ source: any StatementSource,
        _ request: Request,
        sender: Sender,
        progress: @Sendable (_ recorded: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Outcome {
        var (format, statement) = try await survey(source, request)
        let existing = try await existing(of: statement.digest, of: sender.tenant)
        let id = existing.id
        let stream = StreamName.statement(id)
        statement.replaces = existing.replaced
        if let before = existing.before {
            guard before.isRead(as: statement) else { throw Refusal.readOtherwise(id: id, format: before.format) }
            if existing.isImported {
                return Outcome(id: id, statement: before, position: existing.position, isRepeat: true)
            }
        }
        let version = existing.version
        let reported = statement
        let position = try await StreamRecording<StatementEvent>.with(
            sequencer: sequencer,
            ids: ids,
            clock: clock,
            stream: stream,
            sender: sender,
            version: version,
            disturbed: Refusal.disturbed
        ) { recording in
            if version == 0 { try await recording.append([.importBegan(reported)]) }
            // The same bytes yield the same parts, so parts recorded by an interrupted import are skipped.
            let reading = StatementReading(
                format.reader(request.options),
                into: StatementParts(of: reported.digest, skipping: max(0, version - 1))
            )
            try await Self.chunks(of: source) { chunk in
                try await reading.read(chunk)
                let (runs, lines) = await reading.take { ($0.complete(), $0.lines) }
                for run in runs { try await recording.append(run) }
                progress(lines, reported.lines)
            }
            try await reading.finish()
            guard await reading.digest == reported.digest else { throw Refusal.disturbed }
            for run in await reading.take({ $0.end() }) { try await recording.append(run) }
            return try await recording.finish()
        }
        progress(statement.lines, statement.lines)
        return Outcome(id: id, statement: statement, position: position, isRepeat: false)
    }

    /// The statement of a file, existing or new: the first statement of the same bytes that was not withdrawn.
    private struct ExistingStatement {
        var id: UUID128
        /// The previous statement of the same bytes, which was withdrawn.
        var replaced: UUID128?
        /// The data of its first event; nil for a new statement.
        var before: StatementImport?
        var isImported = false
        /// The position of its newest event.
        var position: Int64 = 0
        var version: Int64 = 0
    }

    private func existing(of digest: String, of tenant: String) async throws -> ExistingStatement {
        var withdrawn = 0
        var replaced: UUID128?
        while true {
            let id = StreamName.statementID(digest: digest, of: tenant, after: withdrawn)
            var ofStream = EventFilter()
            ofStream.stream = StreamName.statement(id)
            guard let first = try await reader.stream(StreamName.statement(id), of: tenant, limit: 1).first,
                let last = try await reader.newest(of: tenant, matching: ofStream, limit: 1).last
            else { return ExistingStatement(id: id, replaced: replaced) }
            if last.type == StatementEvent.Name.withdrawn.rawValue {
                withdrawn += 1
                replaced = id
                continue
            }
            return ExistingStatement(
                id: id,
                replaced: replaced,
                before: try Self.began(first),
                isImported: last.type == StatementEvent.Name.imported.rawValue,
                position: last.position,
                version: last.version
            )
        }
    }

    /// Reads the file to its end, determines the format and adds up the content.
    private func survey(
        _ source: any StatementSource,
        _ request: Request
    ) async throws -> (StatementFormat, StatementImport) {
        let first = try await source.read(Self.chunkBytes, at: 0)
        guard !first.isEmpty else { throw StatementProblem(.empty, line: 0, "The file is empty.") }
        guard request.options.mapping == nil || request.format ?? .daybookCSV == .daybookCSV else {
            throw StatementProblem(.badMapping, line: 0, "A mapping is for files of the format daybook-csv.")
        }
        let mapped: StatementFormat? = request.options.mapping == nil ? nil : .daybookCSV
        guard let format = request.format ?? mapped ?? StatementFormat.recognise(first[...]) else {
            throw StatementProblem(
                .unknownFormat,
                line: 0,
                "The format of the file is not recognised; set it (format)."
            )
        }
        let reading = StatementReading(format.reader(request.options), into: StatementTally())
        try await Self.chunks(of: source) { try await reading.read($0) }
        try await reading.finish()
        let tally = await reading.take { $0 }
        return (
            format,
            StatementImport(
                format: format.rawValue,
                side: format.side(read: request.options).rawValue,
                name: request.name.map { TextScrubber().scrub($0).text },
                digest: await reading.digest,
                bytes: await reading.bytes,
                currency: request.options.currency?.alpha,
                dateOrder: request.options.dateOrder?.rawValue,
                mapping: request.mappingDigest,
                mappingRules: request.mappingRules,
                lines: tally.lines,
                controls: tally.controls,
                failedControls: tally.failedControls,
                notes: tally.notes,
                firstDay: tally.firstDay?.description,
                lastDay: tally.lastDay?.description,
                totals: try tally.totals()
            )
        )
    }

    private static func chunks(of source: any StatementSource, _ body: ([UInt8]) async throws -> Void) async throws {
        var offset: Int64 = 0
        while true {
            let chunk = try await source.read(chunkBytes, at: offset)
            guard !chunk.isEmpty else { return }
            try await body(chunk)
            offset += Int64(chunk.count)
            try Task.checkCancellation()
        }
    }

    private static func began(_ event: RecordedEvent) throws -> StatementImport? {
        let data = try JSONValue(parsing: event.data.utf8)
        guard case .importBegan(let began) = try StatementEvent(type: event.type, schema: event.schema, data: data)
        else { return nil }
        return began
    }
}

extension StatementImport {
    /// Whether both are read from the file in the same way.
    fileprivate func isRead(as other: StatementImport) -> Bool {
        format == other.format && currency == other.currency && dateOrder == other.dateOrder && mapping == other.mapping
    }
}
