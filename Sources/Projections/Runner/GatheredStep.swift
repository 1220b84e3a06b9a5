import EventLog
import Postgres

/// One step of several live read models: a run of the log, applied to all of them in one transaction.
struct GatheredStep: Sendable {
    private let projections: [any Projection]
    private let pool: PostgresPool

    /// - Parameter projections: No two of them have a table of the same name.
    init(_ projections: [any Projection], pool: PostgresPool) {
        self.projections = projections
        self.pool = pool
    }

    /// Applies the run to those of the read models that are at its start, and moves their checkpoints.
    ///
    /// - Parameter names: The read models that are expected to be at the start of the run.
    /// - Returns: The names of the read models that were moved to the end of the run. The others were moved by another
    ///   process, are rebuilt, or have rows made by other rules.
    /// - Throws: `UnappliedEvent` when one of them cannot apply the run: then none was moved. `PostgresError`.
    func advance(_ run: LogRun, of names: Set<String>) async throws -> Set<String> {
        let due = projections.filter { names.contains($0.name) }
        // The rows can be rebuilt from the log, so they need not be flushed here. The next commit of an append flushes
        // them.
        let settings = """
            SET LOCAL synchronous_commit = off;
            SET LOCAL search_path TO \(due.map(\.liveSchema).joined(separator: ", "))
            """
        return try await pool.withTransaction(settings: settings) { transaction in
            // This update comes first, so that a process that loses the race waits here and applies nothing.
            let rows = try await transaction.query(
                EmbeddedFiles.checkpointsMoved_sql,
                [
                    .textArray(due.map(\.name)), .int32Array(due.map { Int32($0.version) }), .int64(run.start),
                    .int64(run.end),
                ]
            )
            var moved: Set<String> = []
            for row in rows { moved.insert(try row.text(0)) }
            for projection in due where moved.contains(projection.name) {
                try await projection.applied(run, in: transaction)
            }
            return moved
        }
    }
}

extension Projection {
    /// Applies a run in a transaction whose search path finds the model's tables.
    ///
    /// - Throws: `UnappliedEvent` with the position of the event or of the first event of the run; `PostgresError` that
    ///   is not about values; `CancellationError`.
    func applied(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        do {
            try await apply(run, in: transaction)
        } catch let error as CancellationError {
            throw error
        } catch let error as PostgresError where !error.isAboutValues {
            throw error
        } catch let error as UnappliedEvent {
            throw error
        } catch {
            throw UnappliedEvent(position: run.start + 1, cause: error)
        }
    }
}
