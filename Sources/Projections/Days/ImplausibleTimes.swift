import Canonical
import Payments

/// Which payments and lines of money have no business day: those whose time is implausible, while an anomaly on their
/// stream that says so is open.
enum ImplausibleTimes {
    /// A condition for rows whose time counts.
    ///
    /// - Parameters:
    ///   - table: The table of the rows, with the columns `tenant` and `occurred_at`.
    ///   - id: The column with the payment's id.
    ///   - position: The position up to which anomalies and acknowledgements count; nil for all.
    static func leftOut(of table: String, id: String, at position: String? = nil) -> String {
        let isOpen =
            position.map { "a.position <= \($0) AND (a.acknowledged IS NULL OR a.acknowledged > \($0))" }
            ?? "a.acknowledged IS NULL"
        return """
            NOT EXISTS (SELECT FROM read_anomalies.anomalies a
                WHERE a.tenant = \(table).tenant AND a.stream = 'transaction/' || \(table).\(id)
                    AND a.kind = '\(Anomaly.Kind.implausibleTime.rawValue)' AND a.cleared IS NULL AND \(isOpen)
                    AND (\(table).occurred_at < '\(PlausibleTime.earliest.rfc3339)' OR \(table).occurred_at
                        > a.recorded_at + interval '\(PlausibleTime.secondsAhead) seconds'))
            """
    }
}
