import Canonical
package import EventLog
package import Intake
import Payments

/// The command with which operators define the chart of accounts.
package struct ChartCommands: Sendable {
    /// The result of a command.
    package struct Outcome: Sendable, Hashable {
        /// What was recorded.
        package var stored: StoredChart
        /// True when the same command was recorded before under the same key.
        package var isDuplicate: Bool
    }

    private let recorder: CommandRecorder

    package init(log: LogConnection) {
        recorder = CommandRecorder(
            "chart",
            sequencer: log.sequencer,
            reader: log.reader,
            ids: log.ids,
            clock: log.clock
        )
    }

    /// Records a version of the chart.
    ///
    /// - Parameters:
    ///   - accounts: Those that `Chart.accounts(named:)` returns.
    ///   - reason: The text of a `Reason`.
    ///   - version: The version that the chart must still have; nil if it may have any.
    ///   - idempotencyKey: The sender's name of the request.
    /// - Throws: `IntakeProblem` when the chart has another version, the key was used for another request, or the log
    ///   rejects the event.
    package func define(
        _ accounts: [NamedAccount],
        reason: String,
        replacing version: Int64? = nil,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> Outcome {
        let entry = try await recorder.record(
            on: StreamName.chart(of: sender.tenant),
            request: [
                try JSONValueEncoder().encode(accounts).text, reason, version.map(String.init) ?? "", sender.actor,
            ],
            key: idempotencyKey,
            sender: sender
        ) { newest in
            let actual = newest?.version ?? 0
            if let version, version != actual { throw IntakeProblem.versionConflict(actual: actual) }
            return ChartEvent(.defined, ChartDefinition(version: actual + 1, accounts: accounts, reason: reason))
        }
        return Outcome(
            stored: try StoredChart(try await recorder.event(of: entry)),
            isDuplicate: entry.isDuplicate
        )
    }
}
