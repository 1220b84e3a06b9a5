import EventLog
import Postgres

extension ProjectionRebuild {
    /// A comparison of the live rows with the events.
    package struct Comparison: Sendable, Hashable {
        package enum Outcome: Sendable, Hashable {
            /// The live rows were compared with the fold of the events up to this position.
            case compared(position: Int64)
            /// The live tables do not exist yet.
            case notInstalled
            /// Another version of the rules made the live rows, so they cannot be compared.
            case otherRules(version: Int)
            /// The live rows claim a position beyond the end of the log.
            case ahead(position: Int64, head: Int64)
        }

        package var name: String
        package var outcome: Outcome
        /// Up to `differenceLimit` differences for each table.
        package var differences: [Difference]
        /// True when there are more differences.
        package var isCutOff: Bool
    }

    /// One row that differs from the fold of the events.
    package struct Difference: Sendable, Hashable {
        package enum Kind: String, Sendable, Hashable {
            case missing
            case extra
            case changed
        }

        package var table: String
        /// The primary key, as `column=value, ...`.
        package var key: String
        package var kind: Kind
        /// The position of an event behind the row: its last one, if the row stores it.
        package var position: Int64?
    }

    package static let differenceLimit = 1000

    /// Folds all events again, beside the live rows, and compares row by row. Changes nothing: the live rows remain,
    /// and the folded rows are dropped. The live model pauses while the rows are compared.
    ///
    /// - Parameter progress: Called with the number of applied events and the total.
    /// - Throws: `UnappliedEvent`, `GapInLog`, `RebuildInterrupted`, `PostgresError`.
    package func compare(
        progress: @Sendable (_ applied: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Comparison {
        try await alone {
            var comparison = Comparison(
                name: projection.name,
                outcome: .notInstalled,
                differences: [],
                isCutOff: false
            )
            guard let live = try await store.checkpoint(isLive: true) else { return comparison }
            guard live.version == projection.version else {
                comparison.outcome = .otherRules(version: live.version)
                return comparison
            }
            let head = try await reader.head()
            guard live.position <= head else {
                comparison.outcome = .ahead(position: live.position, head: head)
                return comparison
            }
            _ = try await begin()
            do {
                try await catchUp(to: live.position, progress: progress)
                try await compareRows(&comparison)
            } catch {
                await discard()
                throw error
            }
            await discard()
            return comparison
        }
    }

    func discard() async {
        do {
            _ = try await pool.execute(Self.forget, [.text(projection.name)])
            try await pool.withTransaction { transaction in
                try await transaction.script("DROP SCHEMA IF EXISTS \(projection.rebuildSchema) CASCADE")
            }
        } catch {
            // The next rebuild or comparison drops it first.
        }
    }

    private func compareRows(_ comparison: inout Comparison) async throws {
        let found = try await pool.withTransaction { transaction in
            // Pauses the live model: its runner waits for this row.
            let live = try await transaction.query(
                "SELECT position FROM projection.checkpoints WHERE name = $1 AND is_live FOR UPDATE",
                [.text(projection.name)]
            )
            guard let target = try live.first?.int64(0) else { throw RebuildInterrupted() }
            let position = try await catchUp(
                from: try await store.position(isLive: false),
                to: target,
                in: transaction
            )
            guard position == target else { throw RebuildInterrupted() }
            var differences: [Difference] = []
            var isCutOff = false
            for table in try await tables(in: transaction) {
                let rows = try await transaction.query(table.comparison(projection))
                if rows.count > Self.differenceLimit { isCutOff = true }
                for row in rows.prefix(Self.differenceLimit) {
                    differences.append(
                        Difference(
                            table: table.name,
                            key: try row.text(0),
                            kind: Difference.Kind(rawValue: try row.text(1)) ?? .changed,
                            position: try row.int64OrNull(2)
                        )
                    )
                }
            }
            return (position, differences, isCutOff)
        }
        comparison.outcome = .compared(position: found.0)
        comparison.differences = found.1
        comparison.isCutOff = found.2
    }

    private func tables(in transaction: borrowing PostgresTransaction) async throws -> [ComparedTable] {
        let rows = try await transaction.query(
            EmbeddedFiles.rebuiltTables_sql,
            [.text(projection.rebuildSchema)]
        )
        return try rows.map { row in
            ComparedTable(
                name: try row.text(0),
                key: try row.array(1, of: String.self).compactMap { $0 },
                columns: Set(try row.array(2, of: String.self).compactMap { $0 })
            )
        }
    }
}

/// A table of a read model that exists both live and rebuilt.
private struct ComparedTable {
    var name: String
    /// The columns of the primary key.
    var key: [String]
    var columns: Set<String>

    /// The SQL that selects differing rows: key, kind, position.
    func comparison(_ projection: any Projection) -> String {
        let joined = key.map { "l.\"\($0)\" = r.\"\($0)\"" }.joined(separator: " AND ")
        let printed = key.map { "'\($0)=' || \(either($0))::text" }.joined(separator: ", ")
        let first = key.first ?? "tenant"
        return """
            SELECT concat_ws(', ', \(printed)),
                   CASE WHEN l."\(first)" IS NULL THEN 'missing' WHEN r."\(first)" IS NULL THEN 'extra'
                        ELSE 'changed' END,
                   \(position)::bigint
              FROM \(projection.liveSchema)."\(name)" l
              FULL JOIN \(projection.rebuildSchema)."\(name)" r ON \(joined)
             WHERE l::text IS DISTINCT FROM r::text
             ORDER BY 3, 1 LIMIT \(ProjectionRebuild.differenceLimit + 1)
            """
    }

    private func either(_ column: String) -> String { "coalesce(r.\"\(column)\", l.\"\(column)\")" }

    private var position: String {
        for column in ["last_position", "first_position", "position"] where columns.contains(column) {
            return either(column)
        }
        // For a row without a position, the position at which its payment begins.
        for column in ["transaction", "id"] where columns.contains(column) && columns.contains("tenant") {
            return """
                (SELECT s.first_position FROM ledger.streams s
                  WHERE s.tenant = \(either("tenant")) AND s.stream = 'transaction/' || \(either(column))::text)
                """
        }
        return "NULL"
    }
}
