import Canonical
import HTTPEdge
import Ledger
import Projections

extension Ledger {
    /// Up to `limit` items of a list of what is matched, what is not, and what is closed.
    ///
    /// - Throws: `Problem` with `invalid-cursor`, or what reading throws.
    func reconciliationPage(
        _ list: LedgerList,
        of tenant: String,
        after cursor: Cursor?,
        limit: Int
    ) async throws -> ListPage {
        switch list {
        case .runs:
            let before = cursor?.position ?? .max
            let found = try await reconciliationQuery.runs(of: tenant, before: before, limit: limit + 1)
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor(position: $0.position)
            }
        case .matches(let filter, let position):
            let found = try await reconciliationQuery.matches(
                of: tenant,
                matching: filter,
                at: position,
                after: try cursor.map { cursor throws(Problem) in try cursor.match() },
                limit: limit + 1
            )
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor($0, asOf: position)
            }
        case .exceptions(let filter, let position):
            let found = try await exceptions.exceptions(
                of: tenant,
                matching: filter,
                at: position,
                after: try cursor.map { cursor throws(Problem) in try cursor.exception() },
                limit: limit + 1
            )
            let now = clock.now()
            return try ListPage(found, limit) {
                try $0.json(at: now).text
            } cursor: {
                Cursor(position: $0.firstPosition, name: $0.id.text, asOf: position)
            }
        case .periods(let filter):
            let found = try await reconciliationQuery.periods(
                of: tenant,
                matching: filter,
                before: cursor?.position ?? .max,
                limit: limit + 1
            )
            return try ListPage(found, limit) {
                try $0.json().text
            } cursor: {
                Cursor(position: $0.firstPosition)
            }
        case .deposits(let filter):
            let found = try await deposits.transfers(
                of: tenant,
                matching: filter,
                before: try cursor.map { cursor throws(Problem) in
                    let place = try cursor.exception()
                    return (position: place.first, line: place.id)
                },
                limit: limit + 1
            )
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor(position: $0.position, name: $0.transfer.line.text)
            }
        case .paidLines(let payout):
            let found = try await deposits.lines(
                paidBy: payout,
                tenant: tenant,
                after: try cursor.map { cursor throws(Problem) in try cursor.exception().id },
                limit: limit + 1
            )
            return ListPage(found, limit) {
                $0.json.text
            } cursor: {
                Cursor(position: 0, name: $0.line.text)
            }
        default: return ListPage(items: [], next: nil)
        }
    }
}
