import Canonical
package import EventLog
package import Intake
import Payments

/// What an operator wants exported.
package struct ExportRequest: Sendable, Hashable {
    package var format: ExportFormat
    /// The position after which the file begins. Nil continues the newest export in the format, or begins with the first
    /// entry; any other position than the newest export's last begins a series.
    package var after: Int64?
    /// The last position; nil for the end of the journal.
    package var through: Int64?

    package init(format: ExportFormat, after: Int64? = nil, through: Int64? = nil) {
        self.format = format
        self.after = after
        self.through = through
    }
}

/// The commands with which operators export the journal.
package struct ExportCommands: Sendable {
    /// The result of a command.
    package struct Outcome: Sendable, Hashable {
        package var export: JournalExport
        /// The position of the event.
        package var position: Int64
        /// True when the same command was recorded before under the same key.
        package var isDuplicate: Bool
    }

    /// The reason why nothing was recorded.
    package enum Refusal: String, Error, Hashable, Sendable {
        /// Nothing is posted at the positions.
        case nothingToExport = "nothing-to-export"
    }

    private let journal: JournalQuery
    private let recorder: CommandRecorder

    package init(log: LogConnection, journal: JournalQuery) {
        self.journal = journal
        recorder = CommandRecorder(
            "export",
            sequencer: log.sequencer,
            reader: log.reader,
            ids: log.ids,
            clock: log.clock
        )
    }

    /// Records an export, whose accounts have the names of the chart in force. Of two concurrent ones in a format, the
    /// second continues the first.
    ///
    /// - Parameters:
    ///   - end: The last position unless the request has one. The read model contains it, and the chart.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `Refusal`; the errors of `ExportFile.run`; `IntakeProblem` when the log rejects the event.
    package func export(
        _ request: ExportRequest,
        upTo end: Int64,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let format = request.format
        let chart = try await journal.chart(of: sender.tenant)
        let entry = try await recorder.record(
            on: StreamName.exports(as: format.rawValue, of: sender.tenant),
            request: [
                format.rawValue, request.after.map(String.init) ?? "", request.through.map(String.init) ?? "",
                sender.actor,
            ],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            let last = try newest.map { try JournalExport($0) }
            let after = request.after ?? last?.through ?? 0
            let through = request.through ?? end
            guard after < through else { throw Refusal.nothingToExport }
            let before = last.flatMap { $0.through == after ? $0 : nil }
            let range = ExportRange(since: before?.since ?? after, after: after, through: through)
            var spans = before?.spans ?? []
            if spans.last?.chart == chart.version { spans.removeLast() }
            let charts = try await journal.charts(chart.version, after: spans, of: sender.tenant)
            let file = ExportFile(journal, of: sender.tenant, as: format, range, named: charts)
            let contents = try await file.run { _ in }
            guard contents.legs > 0 else { throw Refusal.nothingToExport }
            let id = StreamName.exportID((newest?.version ?? 0) + 1, as: format.rawValue, of: sender.tenant)
            let export = JournalExport(
                id: id,
                format: format,
                range: range,
                contents: contents,
                chart: chart.version,
                earlierCharts: spans
            )
            return ExportEvent(.exported, export)
        }
        return Outcome(
            export: try await JournalExport(recorder.event(of: entry)),
            position: entry.position,
            isDuplicate: entry.isDuplicate
        )
    }
}

extension JournalExport {
    /// The export that an event records.
    init(_ event: RecordedEvent) throws {
        self = try ExportEvent(type: event.type, schema: event.schema, data: JSONValue(parsing: event.data.utf8)).report
    }
}
