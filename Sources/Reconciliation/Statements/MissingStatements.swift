import Canonical
import Matching
import Postgres

/// Compares the business days of processors' calendars with the files that count. The result depends on the calendars,
/// the files and the time.
struct MissingStatements {
    let tenant: String
    let calendars: [ProcessorCalendar]
    /// The position after which the run examines changes; 0 for everything.
    let since: Int64
    let now: Timestamp

    /// Adds the exceptions to `raised`. Calendars are examined in every run, because files become due.
    ///
    /// - Returns: The extent of the comparison.
    func check(in transaction: borrowing PostgresTransaction) async throws -> Matcher.Extent.Lines {
        // A change of the rules examines everything: without calendars, and later, no exception is left.
        guard since == 0 || !calendars.isEmpty else { return .nothing }
        let expected = calendars.flatMap { calendar in
            calendar.expectedFiles(by: now).map { (calendar: calendar, day: $0.day, due: $0.due) }
        }
        _ = try await transaction.execute(
            EmbeddedFiles.missingStatements_sql,
            [
                .text(tenant), .textArray(expected.map(\.calendar.processor)),
                .textArray(expected.map(\.calendar.merchant)), .textArray(expected.map(\.day.description)),
                .textArray(expected.map(\.due.rfc3339)),
            ]
        )
        return .everything
    }
}
