import Canonical
import Postgres

/// A read of the log: a limited number of events within bounds, for which every condition that is set holds.
///
/// The same query is sent to the database and to the archives, and both must give the same answer.
struct EventQuery: Sendable {
    /// Only positions above this one.
    var after: Int64 = 0
    var upTo: Int64 = .max
    var tenant: String?
    /// A stream of `tenant`.
    var stream: String?
    /// The first wanted version of `stream`.
    var fromVersion: Int64 = 1
    var type: String?
    var actor: String?
    var recordedFrom: Timestamp?
    var recordedBefore: Timestamp?
    var limit: Int
    /// Whether to read from the newest event to older ones.
    var isNewestFirst = false

    /// The most selective key to find the events in an archive; nil when every event within the bounds is wanted.
    var key: ArchiveKey? {
        guard let tenant else { return nil }
        if let stream { return .stream(stream, of: tenant) }
        return type.map { .type($0, of: tenant) } ?? .tenant(tenant)
    }

    /// Whether an event meets the bounds and conditions.
    func matches(_ event: RecordedEvent) -> Bool {
        (after < event.position && event.position <= upTo) && (tenant == nil || tenant == event.tenant)
            && (stream == nil || (stream == event.stream && event.version >= fromVersion))
            && (type == nil || type == event.type) && (actor == nil || actor == event.actor)
            && (recordedFrom.map { $0 <= event.recordedAt } ?? true)
            && (recordedBefore.map { event.recordedAt < $0 } ?? true)
    }

    /// The statement and its parameters.
    ///
    /// Each row begins with how far the log is archived, and where the stream begins; the event follows, in
    /// `EventReader.columns`. There is one row even when there is no event, because archived events are no longer in
    /// the table: both parts come from one snapshot, and a partition cannot be detached while a statement reads the
    /// events.
    var statement: (sql: String, parameters: [PostgresValue]) {
        var parameters: [PostgresValue] = []
        func bind(_ value: PostgresValue) -> String {
            parameters.append(value)
            return "$\(parameters.count)"
        }
        var conditions = ["position > \(bind(.int64(after)))"]
        var first = "NULL::bigint"
        var order = "position"
        // Without a filter there is an event at every position, so the limit also bounds the position.
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
                // Nothing before the stream's first position is read.
                conditions += ["stream = \(stream)", "position >= \(first)"]
                // In a stream this equals the order of positions, and the stream's index has it.
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
