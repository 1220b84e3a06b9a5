package import Canonical
package import Postgres

/// The time of a row, as SQL, in a table with the columns `occurred_at` and `local_at`.
///
/// A row with a local time is at that time in the zone of the request: a terminal's 18:30 is 18:30 of the merchant's
/// business day, whatever the zone. Any other row is at its instant.
package struct RowTime: Sendable {
    private let prefix: String
    private let zone: Zone

    /// - Parameter table: The table's name in the statement; none if its columns stand alone.
    package init(of table: String? = nil, in zone: Zone) {
        prefix = table.map { $0 + "." } ?? ""
        self.zone = zone
    }

    /// The condition that a row is in a span; nil without bounds. An index on either column serves it.
    ///
    /// - Parameter place: Adds a parameter and returns its placeholder.
    package func isWithin(
        from start: Timestamp?,
        before end: Timestamp?,
        _ place: (PostgresValue) -> String
    ) -> String? {
        guard start != nil || end != nil else { return nil }
        var instants = ["\(prefix)local_at IS NULL"]
        var locals = ["\(prefix)local_at IS NOT NULL"]
        func add(_ comparison: String, _ time: Timestamp) {
            instants.append("\(prefix)occurred_at \(comparison) \(place(.timestamptz(time)))")
            locals.append(
                "\(prefix)local_at \(comparison) (\(place(.timestamptz(zone.wall(time)))) AT TIME ZONE 'UTC')"
            )
        }
        if let start { add(">=", start) }
        if let end { add("<", end) }
        return "(\(instants.joined(separator: " AND ")) OR \(locals.joined(separator: " AND ")))"
    }

    /// The instant of a row, by the zone if its time is local.
    ///
    /// - Parameter zoned: The SQL of the zone, from `zone(_:)`.
    package func instant(zoned: String) -> String {
        "coalesce(\(prefix)local_at AT TIME ZONE \(zoned), \(prefix)occurred_at)"
    }

    /// The zone as SQL.
    package func zone(_ place: (PostgresValue) -> String) -> String { zone.sql(place(zone.parameter)) }
}

extension Zone {
    /// The parameter that names the zone: its name, or its seconds ahead of UTC when they are fixed.
    var parameter: PostgresValue { fixedSeconds.map(PostgresValue.int64) ?? .text(name) }

    /// The zone as an operand of `AT TIME ZONE`.
    ///
    /// - Parameter place: The placeholder of `parameter`.
    func sql(_ place: String) -> String {
        fixedSeconds == nil ? "(\(place)::text)" : "(\(place)::int8::float8 * interval '1 second')"
    }
}
