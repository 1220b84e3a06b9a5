package import Canonical
import EventLog
import Ledger
import Projections
import Reconciliation

extension Ledger {
    /// The time at which ages are computed: the requested one, but not later than now; without one, the time at which
    /// the position was recorded, or now.
    package func moment(_ time: Timestamp?, at position: Int64?) async throws -> Timestamp {
        let now = clock.now()
        if let time { return min(time, now) }
        guard let position, position > 0 else { return now }
        return try await reader.events(after: position - 1, limit: 1).first?.recordedAt ?? now
    }

    /// Up to `limit` items of a list of runs, matches, exceptions, periods, transfers or their lines.
    ///
    /// - Throws: `Refusal` with `invalid-cursor`; errors of reading.
    package func reconciliationPage(
        _ list: LedgerList,
        of tenant: String,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> ListPage {
        switch list {
        case .runs(let position):
            let found = try await reconciler.runs(
                of: tenant,
                at: position,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.position, asOf: position)
            }
        case .matches(let filter, let position):
            let found = try await reconciliationQuery.matches(
                of: tenant,
                matching: filter,
                at: position,
                after: try cursor.map { cursor throws(Refusal) in try cursor.match() },
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor($0, asOf: position)
            }
        case .exceptions(let filter, let position, let time):
            let found = try await exceptions.exceptions(
                of: tenant,
                matching: filter,
                at: position,
                after: try cursor.map { cursor throws(Refusal) in try cursor.exception() },
                limit: limit + 1
            )
            let now = try await moment(time, at: position)
            return try ListPage(found, limit) {
                try $0.json(at: now).text
            } cursor: {
                Cursor(position: $0.firstPosition, name: $0.id.text, asOf: position)
            }
        case .periods(let filter, let position):
            let found = try await reconciliationQuery.periods(
                of: tenant,
                matching: filter,
                at: position,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.firstPosition, asOf: position)
            }
        case .deposits(let filter, let position):
            let found = try await deposits.transfers(
                of: tenant,
                matching: filter,
                at: position,
                before: try cursor.map { cursor throws(Refusal) in
                    let place = try cursor.exception()
                    return (position: place.first, line: place.id)
                },
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.position, name: $0.transfer.line.text, asOf: position)
            }
        case .paidLines(let payout, let position):
            let found = try await deposits.lines(
                paidBy: payout,
                tenant: tenant,
                asOf: position ?? .max,
                after: try cursor.map { cursor throws(Refusal) in try cursor.exception().id },
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: 0, name: $0.line.text, asOf: position)
            }
        case .periodChanges(let comparison):
            return try await periodChanges(of: tenant, comparison, after: cursor, limit: limit)
        default: return ListPage(items: [], next: nil)
        }
    }
}
