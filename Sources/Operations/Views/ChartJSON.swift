package import Canonical
package import Composition
package import Journal
package import Payments

/// A version of the chart of accounts. Version 0 is the standard one, which no event records.
package struct ChartJSON: Codable, Sendable, Hashable {
    /// An account with its place in accounting software.
    package struct Place: Codable, Sendable, Hashable {
        package var account: Account
        package var kind: Account.Kind
        package var root: Chart.Root
        package var name: String
        package var number: String
    }

    package var version: Int64
    package var position: Int64?
    package var changedAt: Timestamp?
    package var changedBy: String?
    package var reason: String?
    package var accounts: [Place]

    /// - Parameter stored: Nil for the standard chart.
    package init(_ stored: StoredChart?) {
        let chart = stored?.definition.chart ?? .standard
        version = chart.version
        position = stored?.position
        changedAt = stored?.at
        changedBy = stored?.by
        reason = stored?.definition.reason
        accounts = Account.allCases.map { account in
            let place = chart[account]
            return Place(
                account: account,
                kind: account.kind,
                root: place.root,
                name: place.name,
                number: place.number
            )
        }
    }
}

extension Ledger {
    /// A version of the tenant's chart; nil if there is none.
    ///
    /// - Parameter version: Nil for the newest one.
    package func chart(of tenant: String, version: Int64? = nil) async throws -> ChartJSON? {
        guard let version else { return ChartJSON(try await journal.newestChart(of: tenant)) }
        if version == 0 { return ChartJSON(nil) }
        return try await journal.chart(version, of: tenant).map { ChartJSON($0) }
    }
}
