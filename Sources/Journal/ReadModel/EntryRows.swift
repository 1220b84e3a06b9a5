import Canonical
import EventLog
import Payments
import Postgres
import Projections

/// The entries of a run as rows.
struct EntryRows {
    private struct Row {
        let entry: Entry
        let number: Int32
        let leg: Leg
        let merchant: String?
        let day: String
        /// The day of the event, for a leg of a closed day.
        let eventDay: String
        let event: UUID128
    }

    private let rows: [Row]

    init(_ entries: [Entry], _ run: LogRun, _ zones: ZonesInForce) {
        rows = entries.flatMap { entry in
            let event = run.events[Int(entry.position - run.start - 1)]
            return entry.legs.enumerated().map { place, dated in
                let days = zones.day(of: dated.merchant, at: entry.position)
                // The clock of a sender may be far ahead: an entry is never later than the day after it was recorded.
                let latest = BusinessDay.day(1, after: days.day(of: event.recordedAt)) ?? ""
                let eventDay = min(days.day(of: entry.occurredAt), latest)
                return Row(
                    entry: entry,
                    number: Int32(place + 1),
                    leg: dated.leg,
                    merchant: dated.merchant,
                    day: dated.localAt.map { min(days.day(ofLocal: $0), latest) } ?? eventDay,
                    eventDay: eventDay,
                    event: event.id
                )
            }
        }
    }

    func insert(in transaction: borrowing PostgresTransaction) async throws {
        _ = try await transaction.execute(
            EmbeddedFiles.entriesPosted_sql + EntryPosting.posted,
            [
                .textArray(rows.map(\.entry.tenant)),
                .int64Array(rows.map(\.entry.position)),
                .int32Array(rows.map(\.number)),
                .textArray(rows.map(\.leg.account.rawValue)),
                .textArray(rows.map(\.leg.part.storableKey)),
                .textArray(rows.map(\.entry.currency.alpha)),
                .int64Array(rows.map(\.leg.amount)),
                .textArray(rows.map(\.day)),
                .textArray(rows.map { $0.merchant?.storableKey }),
                .textArray(rows.map { $0.entry.terminal?.storable }),
                .uuidArray(rows.map(\.entry.payment)),
                .textArray(rows.map(\.leg.line.storableKey)),
                .uuidArray(rows.map(\.event)),
                .textArray(rows.map(\.eventDay)),
            ]
        )
    }
}
