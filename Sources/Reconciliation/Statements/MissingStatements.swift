import Canonical
import Matching
import Postgres
import Projections

/// Compares the business days of processors' calendars with the files that count. The result depends on the calendars,
/// the files, the time and, for days before the ones that every run examines, on the recorded exceptions.
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
        let recorded = try await recordedDays(in: transaction)
        let expected = calendars.flatMap { calendar in
            calendar.expectedFiles(by: now, and: recorded[[calendar.processor, calendar.merchant]] ?? [])
                .map { (calendar: calendar, day: $0.day, due: $0.due) }
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

    /// The days of recorded exceptions that no file has explained, or whose file was withdrawn since, by processor and
    /// merchant.
    private func recordedDays(
        in transaction: borrowing PostgresTransaction
    ) async throws -> [[String?]: [CivilDate]] {
        var days: [[String?]: [CivilDate]] = [:]
        let rows = try await transaction.query(EmbeddedFiles.missingDays_sql, [.text(tenant), .int64(since)])
        for row in rows {
            guard let day = CivilDate(try row.text(2)) else { throw UnreadableRow() }
            let files: [String?] = [try row.text(0), try row.textOrNull(1)]
            days[files, default: []].append(day)
        }
        return days
    }
}
