import Canonical
import Payments
import Postgres

/// The rows of the table `batches` that a run of events changes.
struct BatchRows {
    private struct Key: Hashable {
        var tenant: String
        var id: UUID128
    }

    private struct Row {
        var reference: BatchReference
        /// Nil when only payments named the batch: their events do not report its status.
        var state: BatchState?
        var firstPosition: Int64
        var lastPosition: Int64
        var openedAt: Timestamp
        var closedAt: Timestamp?
        var closedPosition: Int64?
        /// The batch that it is part of, from the position `since` and before `until`.
        var partOf: UUID128?
        var partSince: Int64?
        var partUntil: Int64?

        mutating func note(_ position: Int64, _ occurredAt: Timestamp) {
            if position < firstPosition {
                firstPosition = position
                openedAt = occurredAt
            }
            lastPosition = max(lastPosition, position)
        }
    }

    private var rows: [Key: Row] = [:]

    /// Records that a payment had a line in the batch after the event at `position`.
    mutating func note(_ reference: BatchReference, of tenant: String, _ position: Int64, _ occurredAt: Timestamp) {
        let key = Key(tenant: tenant, id: StreamName.batchID(reference, of: tenant))
        if rows[key] == nil {
            rows[key] = Row(
                reference: reference,
                firstPosition: position,
                lastPosition: position,
                openedAt: occurredAt
            )
        } else {
            rows[key]?.note(position, occurredAt)
        }
    }

    /// Records the batch's state after the event at `position`. Does nothing until an event has named the batch.
    ///
    /// - Parameter wasPart: Whether it was part of another batch before the event.
    mutating func note(
        _ state: BatchState,
        wasPart: Bool,
        of tenant: String,
        _ position: Int64,
        _ occurredAt: Timestamp
    ) {
        guard let reference = state.reference else { return }
        note(reference, of: tenant, position, occurredAt)
        let key = Key(tenant: tenant, id: StreamName.batchID(reference, of: tenant))
        rows[key]?.state = state
        if let closing = state.closing, rows[key]?.closedAt == nil {
            rows[key]?.closedAt = closing.at?.instant ?? occurredAt
            rows[key]?.closedPosition = position
        }
        if !wasPart, let whole = state.partOf {
            rows[key]?.partOf = StreamName.batchID(whole, of: tenant)
            rows[key]?.partSince = position
            // The account's batch exists even if no document has named it yet.
            note(whole, of: tenant, position, occurredAt)
        } else if wasPart, state.partOf == nil {
            rows[key]?.partUntil = position
        }
    }

    /// Inserts the rows, and adds to rows that exist: those come from earlier runs, so from earlier positions.
    func upsert(in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        let encoder = JSONValueEncoder()
        let entries = Array(rows)
        _ = try await transaction.execute(
            EmbeddedFiles.batchUpsert_sql,
            [
                .textArray(entries.map(\.key.tenant)),
                .uuidArray(entries.map(\.key.id)),
                .textArray(entries.map(\.value.reference.vendor.rawValue)),
                .textArray(entries.map(\.value.reference.account?.storable)),
                .textArray(entries.map(\.value.reference.number?.storable)),
                .textArray(entries.map { ($0.value.state?.status ?? .open).rawValue }),
                .jsonArray(try entries.map { try ($0.value.state?.closing).map { try encoder.encode($0).text } }),
                .int64Array(entries.map(\.value.firstPosition)),
                .int64Array(entries.map(\.value.lastPosition)),
                .timestamptzArray(entries.map(\.value.openedAt)),
                .timestamptzArray(entries.map(\.value.closedAt)),
                .boolArray(entries.map { $0.value.state?.isRequested ?? false }),
                .jsonArray(try entries.map { try ($0.value.state?.answer).map { try encoder.encode($0).text } }),
                .uuidArray(entries.map(\.value.partOf)),
                .int64Array(entries.map(\.value.partSince)),
                .int64Array(entries.map(\.value.partUntil)),
                .int64Array(entries.map { Int64($0.value.reference.generation) }),
                .int64Array(entries.map(\.value.closedPosition)),
            ]
        )
    }
}
