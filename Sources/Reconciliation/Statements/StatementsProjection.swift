import Canonical
import EventLog
import Payments
package import Postgres
package import Projections
import Statements

/// The read model `statements`: the content of imported statement files.
package struct StatementsProjection: Projection {
    package let name = "statements"
    package let version = 9
    package let definition = EmbeddedFiles.statements_sql
    package let contents = [
        ProjectionTable("statements", key: ["tenant", "id"]),
        ProjectionTable("lines", key: ["tenant", "id"]),
        ProjectionTable("placements", key: ["tenant", "statement", "number"]),
        ProjectionTable("reach", key: ["tenant", "statement", "merchant"]),
        ProjectionTable("controls", key: ["tenant", "statement", "position", "place"]),
        ProjectionTable("notes", key: ["tenant", "statement", "position", "place"]),
    ]
    package let neededIndexes: Set = ["placements_by_line"]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var parts: [(event: RecordedEvent, statement: UUID128)] = []
        for event in run.events {
            guard let id = StreamName.statementID(event.stream),
                let name = StatementEvent.Name(rawValue: event.type)
            else { continue }
            switch name {
            case .partRecorded: parts.append((event, id))
            case .importBegan: try await begin(event, id, in: transaction)
            case .imported:
                // Lines are counted once all of them are written.
                try await write(&parts, in: transaction)
                try await complete(event, id, in: transaction)
            case .withdrawn:
                try await write(&parts, in: transaction)
                try await withdraw(event, id, in: transaction)
            }
        }
        try await write(&parts, in: transaction)
    }

    private func begin(
        _ event: RecordedEvent,
        _ id: UUID128,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let began: StatementImport
        do {
            began = try JSONValueDecoder().decode(StatementImport.self, from: JSONValue(parsing: event.data.utf8))
        } catch {
            throw UnappliedEvent(position: event.position, cause: error)
        }
        _ = try await transaction.execute(
            """
            INSERT INTO statements (tenant, id, format, side, name, digest, status, bytes, lines, controls, failed_controls,
                notes, first_day, last_day, first_position, last_position, began_at, imported_by, view)
            VALUES ($1, $2, $3, $4, $5, $6, 'importing', $7, $8, $9, $10, $11, $12::text::date, $13::text::date, $14, $14,
                $15, $16, $17)
            """,
            [
                .text(event.tenant), .uuid(id), .text(began.format), .text(began.side),
                began.name.map { .text($0.storable) } ?? .null, .text(began.digest), .int64(began.bytes),
                .int64(began.lines), .int64(began.controls), .int64(began.failedControls), .int64(began.notes),
                began.firstDay.map(PostgresValue.text) ?? .null, began.lastDay.map(PostgresValue.text) ?? .null,
                .int64(event.position), .timestamptz(event.recordedAt), .text(event.actor.storable),
                .json(event.data),
            ]
        )
    }

    private func write(
        _ parts: inout [(event: RecordedEvent, statement: UUID128)],
        in transaction: borrowing PostgresTransaction
    ) async throws {
        guard !parts.isEmpty else { return }
        _ = try await transaction.execute(
            Self.partsSQL,
            [
                .textArray(parts.map(\.event.tenant)), .uuidArray(parts.map(\.statement)),
                .int64Array(parts.map(\.event.position)), .jsonArray(parts.map(\.event.data)),
            ]
        )
        parts = []
    }

    private func complete(
        _ event: RecordedEvent,
        _ id: UUID128,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        _ = try await transaction.execute(
            EmbeddedFiles.statementComplete_sql,
            [.text(event.tenant), .uuid(id), .timestamptz(event.recordedAt), .int64(event.position)]
        )
    }

    /// Lines that are also in other files are attributed to one of those files.
    private func withdraw(
        _ event: RecordedEvent,
        _ id: UUID128,
        in transaction: borrowing PostgresTransaction
    ) async throws {
        let reported: StatementWithdrawal
        do {
            reported = try JSONValueDecoder().decode(
                StatementWithdrawal.self,
                from: JSONValue(parsing: event.data.utf8)
            )
        } catch {
            throw UnappliedEvent(position: event.position, cause: error)
        }
        _ = try await transaction.execute(
            """
            UPDATE statements SET status = 'withdrawn', withdrawn = $3, last_position = $3, withdrawn_at = $4,
                withdrawn_by = $5, withdrawal = $6
            WHERE tenant = $1 AND id = $2
            """,
            [
                .text(event.tenant), .uuid(id), .int64(event.position), .timestamptz(event.recordedAt),
                .text(event.actor.storable), .text(reported.reason.storable),
            ]
        )
        _ = try await transaction.execute(
            EmbeddedFiles.statementWithdraw_sql,
            [.text(event.tenant), .uuid(id)]
        )
    }

    private static let partsSQL = EmbeddedFiles.statementParts_sql
}
