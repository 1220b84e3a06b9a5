package import Canonical
import Crypto
package import EventLog
package import Intake
import Payments
package import Statements
import Vendors

/// Takes in statement files. A file is read twice: once to its end, so that nothing of a malformed one is recorded, and
/// once more to record what is in it. The same bytes are the same statement until it is withdrawn, and an import that was
/// cut off goes on where it ended.
package struct StatementImporter: Sendable {
    /// What an import was asked for.
    package struct Request: Sendable {
        /// Nil for the one the file shows to be.
        package var format: StatementFormat?
        package var options: StatementOptions
        /// SHA-256 of the mapping in the options, in hexadecimal digits.
        package var mappingDigest: String?
        /// What the mapping says, as it is recorded.
        package var mappingRules: JSONValue?
        /// What the sender calls the file; card numbers in it are masked.
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

        /// Has a CSV read by a mapping, which is recorded with the statement.
        ///
        /// - Parameter bytes: Of a mapping file; see docs/statements.md.
        /// - Throws: `.badMapping` for what is none, for one that is too long, and for text that is not kept.
        package mutating func use(mapping bytes: [UInt8]) throws(StatementProblem) {
            guard bytes.count <= Self.longestMapping else {
                throw StatementProblem(.badMapping, line: 0, "A mapping has at most \(Self.longestMapping) bytes.")
            }
            options.mapping = try CSVMapping(parsing: bytes)
            // It has been read above.
            guard let reported = try? JSONValue(parsing: bytes), TextScrubber().scrub(reported.text).text == reported.text else {
                throw StatementProblem(
                    .badMapping,
                    line: 0,
                    "The mapping holds what looks like card data, which is not kept."
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

    /// What became of it.
    package struct Outcome: Sendable, Hashable {
        package var id: UUID128
        package var statement: StatementImport
        /// Of the event that completed the import.
        package var position: Int64
        /// True when the file had been imported before.
        package var isRepeat: Bool
    }

    /// Why a well-formed file is not imported.
    package enum Refusal: Error, Hashable, Sendable {
        /// The same bytes were imported before, read in another way.
        case readOtherwise(id: UUID128, format: String)
        /// Somebody else is importing the same file, or the file changed while it was read. Try again.
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
    /// - Parameter progress: Is told how many lines are recorded, of how many.
    /// - Throws: `StatementProblem` for a file that cannot be read; `Refusal`; `IntakeProblem` where the log does not
    ///   take it; what `source` throws.
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
            // Parts follow from the bytes of the file: what an import that was cut off has recorded need not be again.
            let reading = StatementReading(
                format.reader(request.options),
                into: StatementParts(skipping: max(0, version - 1))
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

    /// The statement that a file is, or is to be: the first one of the same bytes that was not withdrawn.
    private struct ExistingStatement {
        var id: UUID128
        /// The one before it, which was withdrawn.
        var replaced: UUID128?
        /// As it began; nil where it is to be.
        var before: StatementImport?
        var isImported = false
        /// Of its newest event.
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

    /// Reads the file to its end.
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
                "The file is of no format that is recognised; say which one it is (format)."
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
    /// Whether the other one is of the same file, read in the same way.
    fileprivate func isRead(as other: StatementImport) -> Bool {
        format == other.format && currency == other.currency && dateOrder == other.dateOrder && mapping == other.mapping
    }
}
