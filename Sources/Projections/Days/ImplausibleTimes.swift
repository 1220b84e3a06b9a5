import Payments

/// Which payments and lines of money have no business day: those whose time is implausible, while an anomaly on their
/// stream that says so is open.
///
/// The intake judges each time by the rule for its sender, and gives the anomaly the time that it flags. So a row is
/// left out if an open anomaly has its time, and no other rule is applied here.
enum ImplausibleTimes {
    /// A condition for rows whose time counts.
    ///
    /// - Parameters:
    ///   - table: The table of the rows, with the columns `tenant` and `occurred_at`.
    ///   - id: The column with the payment's id.
    ///   - position: The position up to which anomalies and acknowledgements count; nil for all.
    static func leftOut(of table: String, id: String, at position: String? = nil) -> String {
        func lacks(_ end: String) -> String {
            position.map { "(a.\(end) IS NULL OR a.\(end) > \($0))" } ?? "a.\(end) IS NULL"
        }
        let isRaised = position.map { "a.position <= \($0)" } ?? "true"
        return """
            NOT EXISTS (SELECT FROM read_anomalies.anomalies a
                WHERE a.tenant = \(table).tenant AND a.stream = 'transaction/' || \(table).\(id)
                    AND a.kind = '\(Anomaly.Kind.implausibleTime.rawValue)' AND \(isRaised)
                    AND \(lacks("acknowledged")) AND \(lacks("cleared"))
                    AND a.occurred_at = \(table).occurred_at)
            """
    }
}
