package import Canonical
import Payments
import Postgres

/// A line of money that differs between two positions.
package struct BatchChange: Sendable, Hashable {
    package var transaction: UUID128
    package var line: String
    /// Nil when the line did not exist.
    package var before: BatchLine?
    /// Nil when the line no longer exists.
    package var after: BatchLine?
}

/// The two positions of the log to compare, and the conditions on the lines.
package struct BatchComparison: Sendable, Hashable {
    /// The earlier position. All events up to it count.
    package var from: Int64
    /// The later position, not before `from`.
    package var to: Int64
    /// Only lines that are or were in this batch.
    package var batch: UUID128?
    /// Only lines that are or were this merchant's.
    package var merchant: String?
    /// Only lines that occurred at this time or later.
    package var occurredFrom: Timestamp?
    /// Only lines that occurred before this time.
    package var occurredBefore: Timestamp?
    /// The zone of lines with a local time.
    package var zone = Zone.utc

    package init(from: Int64, to: Int64) {
        self.from = from
        self.to = to
    }

    fileprivate var isOfDay: Bool { occurredFrom != nil || occurredBefore != nil }
}

/// The batches and names of a comparison at one position.
private struct Scope: Equatable {
    var batches: [UUID128]?
    var names: OtherNames
}

extension BatchQuery {
    /// The lines that differ between two positions, after the given line, in the order of transaction and line. With
    /// a condition on the batch, a line that moved out of it has no `after`, and a line that moved into it no
    /// `before`.
    package func changes(
        of tenant: String,
        _ comparison: BatchComparison,
        after last: (transaction: UUID128, line: String)? = nil,
        limit: Int
    ) async throws -> [BatchChange] {
        var parameters: [PostgresValue] = [.text(tenant)]
        func add(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        let merchants = MerchantQuery(pool: pool)
        // What belongs to the batch and the merchant at each position.
        func scope(at position: Int64) async throws -> Scope {
            var batches: [UUID128]?
            if let batch = comparison.batch { batches = try await whole(batch, tenant: tenant, at: position) }
            return Scope(
                batches: batches,
                names: try await merchants.otherNames(of: comparison.merchant, tenant: tenant, at: position)
            )
        }
        let (scopeBefore, scopeAfter) = (try await scope(at: comparison.from), try await scope(at: comparison.to))
        var conditions = ["tenant = $1"]
        let time = RowTime(in: comparison.zone)
        if let span = time.isWithin(from: comparison.occurredFrom, before: comparison.occurredBefore, add) {
            conditions.append(span)
        }
        func condition(_ scope: Scope) -> String {
            let batches = scope.batches.map { ["batch = ANY (\(add(.uuidArray($0)))::uuid[])"] } ?? []
            let names = comparison.merchant.map { [scope.names.condition($0, add)] } ?? []
            return (conditions + batches + names).joined(separator: " AND ")
        }
        let (from, to) = (add(.int64(comparison.from)), add(.int64(comparison.to)))
        // Versions that held at the first position and no longer at the second, and versions that began in between.
        var isBefore = "since <= \(from) AND until > \(from) AND until <= \(to)"
        var isAfter = "since > \(from) AND since <= \(to) AND (until IS NULL OR until > \(to))"
        if comparison.isOfDay || scopeBefore != scopeAfter {
            // A line enters or leaves the scope in the same version: one with an implausible time enters the day when
            // an operator acknowledges it.
            func holds(at position: String) -> String {
                let isLeftOut = ImplausibleTimes.leftOut(of: "members", id: "transaction", at: position)
                return "since <= \(position) AND (until IS NULL OR until > \(position))"
                    + (comparison.isOfDay ? " AND \(isLeftOut)" : "")
            }
            isBefore = holds(at: from)
            isAfter = holds(at: to)
        }
        let before = "(SELECT * FROM read_batches.members WHERE \(condition(scopeBefore)) AND \(isBefore))"
        let after = "(SELECT * FROM read_batches.members WHERE \(condition(scopeAfter)) AND \(isAfter))"
        let columns = ["type", "currency", "amount", "tip", "voided", "brand", "evidence"]
        let next =
            last.map { "AND (transaction, line) > (\(add(.uuid($0.transaction))), \(add(.text($0.line))))" } ?? ""
        let rows = try await pool.query(
            """
            SELECT transaction, line, \((columns.map { "a.\($0)" } + columns.map { "b.\($0)" }).joined(separator: ", "))
            FROM \(before) a FULL JOIN \(after) b USING (transaction, line)
            WHERE a.since IS DISTINCT FROM b.since \(next)
            ORDER BY transaction, line LIMIT \(add(.int64(Int64(limit))))
            """,
            parameters
        )
        return try rows.map { row in
            let (transaction, line) = (try row.uuid(0), try row.text(1))
            func side(_ first: Int) throws -> BatchLine? {
                guard let type = try row.textOrNull(first) else { return nil }
                guard let evidence = Evidence(rawValue: try row.text(first + 6)) else { throw UnreadableRow() }
                return BatchLine(
                    transaction: transaction,
                    line: line,
                    type: type,
                    amount: Money(try row.int64(first + 2), try Self.currency(row.text(first + 1))),
                    tip: try row.int64(first + 3),
                    voided: try row.int64(first + 4),
                    brand: try row.textOrNull(first + 5),
                    evidence: evidence
                )
            }
            return BatchChange(transaction: transaction, line: line, before: try side(2), after: try side(9))
        }
    }
}
