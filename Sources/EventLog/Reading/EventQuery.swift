import Canonical
import Postgres

/// What a read of the log is after: so many events within bounds, of which everything set holds.
///
/// The same query is put to the database and to the archives, and both must give the same answer.
struct EventQuery: Sendable {
    /// Positions beyond this.
    var after: Int64 = 0
    var upTo: Int64 = .max
    var tenant: String?
    /// Of `tenant`.
    var stream: String?
    /// Of `stream`.
    var fromVersion: Int64 = 1
    var type: String?
    var actor: String?
    var recordedFrom: Timestamp?
    var recordedBefore: Timestamp?
    var limit: Int
    /// Whether to go from the newest event to older ones.
    var isNewestFirst = false

    /// The narrowest way to find the events in an archive; nil when every event within the bounds is wanted.
    var key: ArchiveKey? {
        guard let tenant else { return nil }
        if let stream { return .stream(stream, of: tenant) }
        return type.map { .type($0, of: tenant) } ?? .tenant(tenant)
    }

    /// Whether an event within the bounds is wanted.
    func matches(_ event: RecordedEvent) -> Bool {
        (after < event.position && event.position <= upTo) && (tenant == nil || tenant == event.tenant)
            && (stream == nil || (stream == event.stream && event.version >= fromVersion))
            && (type == nil || type == event.type) && (actor == nil || actor == event.actor)
            && (recordedFrom.map { $0 <= event.recordedAt } ?? true)
            && (recordedBefore.map { event.recordedAt < $0 } ?? true)
    }

    /// The statement, and what to run it with.
    ///
    /// Each row begins with how far the log is archived, and where the stream begins; the event follows, in
    /// `EventReader.columns`. There is one row even when there is no event, because what is archived is no longer here
    /// to be found: both come from one snapshot, and a partition cannot go while a statement reads the events.
    var statement: (sql: String, parameters: [PostgresValue]) {
        var parameters: [PostgresValue] = []
        func bind(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var conditions = ["position > \(bind(.int64(after)))"]
        var first = "NULL::bigint"
        var order = "position"
        // Without a filter there is an event at every position: then the limit is a bound, too.
        let bound = tenant == nil && !isNewestFirst ? after.addingReportingOverflow(Int64(limit)) : (.max, true)
        let upTo = bound.overflow ? upTo : min(upTo, bound.partialValue)
        if upTo < .max { conditions.append("position <= \(bind(.int64(upTo)))") }
        if let tenant {
            let name = bind(.text(tenant))
            conditions.append("tenant = \(name)")
            if let stream {
                let stream = bind(.text(stream))
                first =
                    "(SELECT s.first_position FROM ledger.streams s WHERE s.tenant = \(name) AND s.stream = \(stream))"
                // Nothing before the stream's beginning is looked at.
                conditions += ["stream = \(stream)", "position >= \(first)"]
                // In a stream this is the order of positions, and its index has it.
                order = "version"
                if fromVersion > 1 { conditions.append("version >= \(bind(.int64(fromVersion)))") }
            }
        }
        if let type { conditions.append("type = \(bind(.text(type)))") }
        if let actor { conditions.append("actor = \(bind(.text(actor)))") }
        if let recordedFrom { conditions.append("recorded_at >= \(bind(.timestamptz(recordedFrom)))") }
        if let recordedBefore { conditions.append("recorded_at < \(bind(.timestamptz(recordedBefore)))") }
        let sql = """
            SELECT a.last, a.first, e.* FROM (
                SELECT (SELECT coalesce(max(p.last), 0) FROM ledger.partitions p WHERE p.detached_at IS NOT NULL),
                       \(first)
            ) a (last, first)
            LEFT JOIN LATERAL (
                SELECT \(EventReader.columns) FROM ledger.events WHERE \(conditions.joined(separator: " AND "))
                ORDER BY \(order)\(isNewestFirst ? " DESC" : "") LIMIT \(bind(.int64(Int64(limit))))
            ) e ON true
            """
        return (sql, parameters)
    }
}
