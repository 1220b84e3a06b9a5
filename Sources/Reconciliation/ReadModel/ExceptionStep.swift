import Canonical
import EventLog
import Matching
import Payments
import Postgres
import Projections

/// An operator's action on an exception, to be written to the read model.
struct ExceptionStep {
    private let exception: UUID128
    private let event: RecordedEvent
    private let fact: ExceptionEvent

    /// - Throws: `UnappliedEvent` for an event that is not an exception event.
    init(_ exception: UUID128, _ event: RecordedEvent) throws {
        self.exception = exception
        self.event = event
        fact = try event.fact(ExceptionEvent.self)
    }

    func write(in transaction: borrowing PostgresTransaction) async throws {
        let key: [PostgresValue] = [.text(event.tenant), .uuid(exception)]
        guard
            let row = try await transaction.query(
                """
                SELECT \(ExceptionCase.columns) FROM exceptions WHERE tenant = $1 AND id = $2
                """,
                key
            ).first
        else { return }
        var found = try ExceptionCase(row, from: 0)
        found.fold(fact, by: event.actor)
        let proposal = try found.proposal.map { try JSONValueEncoder().encode($0).text }
        let resolution = try found.resolution.map { try JSONValueEncoder().encode($0).text }
        // A run may have cleared it since the decision. When it is reopened, it stands until a run clears it again.
        _ = try await transaction.execute(
            """
            UPDATE exceptions SET status = $3, assignee = $4, proposal = $5::text::json, proposed_by = $6,
                resolution = $7::text::json, reopenings = $8, version = $9, changed = $10,
                cleared = CASE WHEN $8 > reopenings THEN NULL ELSE cleared END
            WHERE tenant = $1 AND id = $2
            """,
            key + [
                .text(found.status.rawValue), optional(found.assignee?.storable), optional(proposal),
                optional(found.proposedBy?.storable), optional(resolution), .int32(found.reopenings),
                .int64(event.version),
                .int64(event.position),
            ]
        )
        _ = try await transaction.execute(
            """
            INSERT INTO steps (tenant, exception, position, kind, at, actor, status, assignee, details)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9::text::json)
            """,
            key + [
                .int64(event.position), .text(event.type), .timestamptz(event.recordedAt), .text(event.actor.storable),
                .text(found.status.rawValue), optional(found.assignee?.storable), .text(event.data),
            ]
        )
    }
}

private func optional(_ text: String?) -> PostgresValue { text.map(PostgresValue.text) ?? .null }

extension ExceptionCase {
    /// The columns of `exceptions` that an `ExceptionCase` is read from.
    static let columns = "raised, status, assignee, proposal, proposed_by, resolution, reopenings, amount, currency"

    /// - Parameter first: The index of the first of the columns.
    init(_ row: PostgresRow, from first: Int) throws {
        func decoded<Value: Decodable>(_ place: Int, _: Value.Type) throws -> Value? {
            guard let text = try row.textOrNull(first + place) else { return nil }
            return try JSONValueDecoder().decode(Value.self, from: JSONValue(parsing: text.utf8))
        }
        self.init(
            evidence: try row.int64(first),
            status: ExceptionStatus(rawValue: try row.text(first + 1)) ?? .open,
            assignee: try row.textOrNull(first + 2),
            proposal: try decoded(3, ResolutionProposal.self),
            proposedBy: try row.textOrNull(first + 4),
            resolution: try decoded(5, ExceptionResolution.self),
            reopenings: try row.int32(first + 6),
            amount: try row.int64OrNull(first + 7),
            currency: try row.textOrNull(first + 8)
        )
    }
}
