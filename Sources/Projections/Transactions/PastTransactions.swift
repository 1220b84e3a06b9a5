import Canonical
package import EventLog
import Payments
package import Postgres

/// Lists of payments as of a past position of the log.
///
/// A payment without later events has the same row as then. A payment with later events is folded again up to the
/// position, and its row is filtered by the same conditions as the table.
package struct PastTransactions: Sendable {
    /// A page, and the place where the next one begins. A page may be shorter than the limit, or empty, while there
    /// is a next one.
    package struct Page: Sendable, Hashable {
        package var items: [StoredTransaction]
        package var next: TransactionPlace?
    }

    /// The most payments that are folded for one page.
    package static let foldLimit = 2_000
    /// The number of payments that are read from the log at once.
    private static let pieceSize = 200

    private let pool: PostgresPool
    private let reader: EventReader
    private let foldLimit: Int

    /// - Parameter foldLimit: The most payments that are folded for one page. The page ends at this number.
    package init(pool: PostgresPool, reader: EventReader, foldLimit: Int = PastTransactions.foldLimit) {
        self.pool = pool
        self.reader = reader
        self.foldLimit = foldLimit
    }

    /// Up to `limit` payments from all events up to `position`, newest first, after the end of the previous page. The
    /// read model must contain `position`.
    ///
    /// - Throws: `UnappliedEvent` for an event that cannot be read; the errors of reading the log and the read model.
    package func transactions(
        of tenant: String,
        matching filter: TransactionFilter,
        sortedBy order: TransactionOrder = .position,
        at position: Int64,
        after place: TransactionPlace? = nil,
        limit: Int
    ) async throws -> Page {
        let merchants = MerchantQuery(pool: pool)
        var filter = filter
        filter.otherNames = try await merchants.otherNames(of: filter.merchant, tenant: tenant, at: position)
        let question = Question(
            tenant: tenant,
            filter: filter,
            order: order,
            position: position,
            place: place,
            limit: limit
        )
        let kept = try await unchanged(question)
        return try await page(question, kept, try await changed(question, kept))
    }

    /// The conditions and limits of a page.
    struct Question {
        var tenant: String
        var filter: TransactionFilter
        var order: TransactionOrder
        var position: Int64
        var place: TransactionPlace?
        var limit: Int
    }

    /// Assembles a page.
    ///
    /// - Parameter kept: Read before `changed`. A payment with a new event in between is in both, because read models
    ///   never go back; it is then folded.
    func page(_ question: Question, _ kept: [StoredTransaction], _ changed: [Changed]) async throws -> Page {
        let (order, limit) = (question.order, question.limit)
        let gone = Set(changed.map(\.id))
        let kept = kept.filter { !gone.contains($0.id) }
        var found: [StoredTransaction] = []
        var seen: TransactionPlace?
        var rest = changed.prefix(foldLimit)
        while let last = rest.prefix(Self.pieceSize).last {
            found += try await asTheyWere(Array(rest.prefix(Self.pieceSize)), question)
            rest = rest.dropFirst(Self.pieceSize)
            seen = last.place
            let count = found.count + kept.count(where: { order.places($0.place, before: last.place) })
            if count > limit { break }
        }
        let isWhole = rest.isEmpty && changed.count <= foldLimit
        var items = found
        items += kept.filter { one in isWhole || seen.map { order.places(one.place, before: $0) } ?? false }
        items.sort { order.places($0.place, before: $1.place) }
        guard items.count <= limit else {
            items.removeSubrange(limit...)
            return Page(items: items, next: items.last?.place)
        }
        return Page(items: items, next: isWhole ? nil : seen)
    }

    /// The matching payments without later events, one more than the page holds.
    func unchanged(_ question: Question) async throws -> [StoredTransaction] {
        let (sql, parameters) = Self.unchanged(
            question.tenant,
            question.filter,
            question.order,
            question.position,
            question.place,
            question.limit + 1
        )
        return try await pool.query(sql, parameters).map(StoredTransaction.init)
    }

    static func unchanged(
        _ tenant: String,
        _ filter: TransactionFilter,
        _ order: TransactionOrder,
        _ position: Int64,
        _ place: TransactionPlace?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var search = TransactionSearch(tenant)
        // The first condition implies the second. The second one is for the index on first positions.
        search.require("t.last_position", "<=", .int64(position))
        search.require("t.first_position", "<=", .int64(position))
        search.go(on: place, in: order)
        search.match(filter)
        let source = "SELECT \(StoredTransaction.columns) FROM read_transactions.transactions t"
        return search.statement(source, order, limit)
    }

    /// A payment that had begun by the position and has later events.
    struct Changed {
        var id: UUID128
        /// The version of its newest event.
        var version: Int64
        var place: TransactionPlace
    }

    /// Payments with later events, in order, one more than may be folded.
    func changed(_ question: Question, _ kept: [StoredTransaction]) async throws -> [Changed] {
        let (sql, parameters) = Self.changed(
            question.tenant,
            question.filter,
            question.order,
            question.position,
            question.place,
            // Payments after the last one of a full page belong to the next page.
            kept.count > question.limit ? kept.last?.place : nil,
            foldLimit + 1
        )
        return try await pool.query(sql, parameters).map { row in
            Changed(
                id: try row.uuid(0),
                version: try row.int64(1),
                place: TransactionPlace(position: try row.int64(2), time: try row.timestamp(3))
            )
        }
    }

    /// Finds the payments that span the position by the length of their span. When the last and the first position of
    /// a payment are less than 16^n apart, the first is less than 16^n before the position. An index on the number of
    /// hexadecimal digits of the span keeps the scan small, whatever the number of payments.
    static func changed(
        _ tenant: String,
        _ filter: TransactionFilter,
        _ order: TransactionOrder,
        _ position: Int64,
        _ place: TransactionPlace?,
        _ end: TransactionPlace?,
        _ limit: Int
    ) -> (sql: String, parameters: [PostgresValue]) {
        var search = TransactionSearch(tenant)
        let digits = Array(Int32(1)...16)
        let first = digits.map { $0 < 16 ? position - 1 << (4 * Int64($0)) : -1 }
        let spans = "unnest(\(search.bind(.int32Array(digits))), \(search.bind(.int64Array(first)))) s (digits, first)"
        search.require("octet_length(to_hex(t.last_position - t.first_position)) = s.digits")
        search.require("t.first_position > s.first")
        search.require("t.first_position", "<=", .int64(position))
        search.require("t.last_position", ">", .int64(position))
        search.go(on: place, in: order)
        search.stop(before: end, in: order)
        search.matchBeginning(filter)
        // The index has each range in the order of positions, and no range is read beyond the limit. For another
        // order, the offset keeps the ranges separate: otherwise PostgreSQL would walk through all payments in the
        // requested order, expecting to find enough of them soon.
        let bound =
            switch order {
            case .position: "ORDER BY t.first_position DESC LIMIT \(search.bind(.int64(Int64(limit))))"
            case .time: "OFFSET 0"
            }
        let selection = """
            SELECT t.id, t.version, t.first_position, t.occurred_at FROM \(spans) CROSS JOIN LATERAL (
                SELECT t.id, t.version, t.first_position, t.occurred_at FROM read_transactions.transactions t
                WHERE \(search.condition) \(bound)
            ) t
            """
        return search.ordered(selection, order, limit)
    }

    /// The matching payments among them, as of the position.
    private func asTheyWere(_ changed: [Changed], _ question: Question) async throws -> [StoredTransaction] {
        let (tenant, position) = (question.tenant, question.position)
        let prefixes = changed.map { one in
            StreamPrefix(tenant: tenant, stream: StreamName.transaction(one.id), count: one.version)
        }
        let streams = try await reader.prefixes(prefixes)
        var rows: [TransactionRow] = []
        for (one, prefix) in zip(changed, prefixes) {
            let events = (streams[prefix] ?? []).prefix { $0.position <= position }
            guard let first = events.first, let last = events.last else {
                throw UnappliedEvent(position: one.place.position, cause: IncompleteStream())
            }
            var state = TransactionState()
            for event in events {
                state.fold(try StreamFolder<TransactionState>.fact(event, at: event.position), at: event.occurredAt)
            }
            let view = TransactionView(
                id: one.id,
                state: state,
                firstPosition: first.position,
                lastPosition: last.position,
                occurredAt: first.occurredAt,
                recordedAt: first.recordedAt
            )
            rows.append(TransactionRow(view, of: tenant))
        }
        var search = TransactionSearch(tenant, after: TransactionRow.parameters(rows))
        search.match(question.filter)
        let source = "SELECT \(StoredTransaction.columns) FROM (\(TransactionRow.source)) t"
        let (sql, parameters) = search.statement(source, question.order, rows.count)
        return try await pool.query(sql, parameters).map(StoredTransaction.init)
    }
}
