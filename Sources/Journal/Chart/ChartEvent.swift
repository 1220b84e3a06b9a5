package import Payments

/// The events of a tenant's chart of accounts: its `chart/<uuid>` stream.
package typealias ChartEvent = ReportEvent<ChartEventName>

/// The names of the event types, as stored.
package enum ChartEventName: String, ReportName {
    package typealias Report = ChartDefinition

    case defined = "ChartDefined"
}

/// A version of a tenant's chart. It replaces the version before.
package struct ChartDefinition: Sendable, Hashable, Codable {
    /// From 1.
    package var version: Int64
    /// Every account that the program knew.
    package var accounts: [NamedAccount]
    package var reason: String

    package init(version: Int64, accounts: [NamedAccount], reason: String) {
        (self.version, self.accounts, self.reason) = (version, accounts, reason)
    }

    package var chart: Chart { Chart(version: version, accounts) }
}

/// An account with its place in accounting software.
package struct NamedAccount: Sendable, Hashable, Codable {
    package var account: Account
    package var root: Chart.Root
    package var name: String
    package var number: String

    package init(_ account: Account, _ place: Chart.Place) {
        self.account = account
        (root, name, number) = (place.root, place.name, place.number)
    }

    package var place: Chart.Place { Chart.Place(root: root, name: name, number: number) }
}
