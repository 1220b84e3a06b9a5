import Access
import Composition
import DaybookAPI
import DaybookTestKit
import EventLog
import Foundation
import HTTPEdge
import HTTPTypes
import Operations
import Postgres
import Testing

/// Who may move money, by which route: the table that the routes authorize by.
@Suite struct AuthorityTests {
    private static let document = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../docs/trust.md").standardized

    /// The rows of the document.
    private static var table: String {
        let head = ["| route | effect | money | scope of the key | another operator |", "|---|---|---|---|---|"]
        let rows = API.authorities.map { row in
            let scopes = row.permission.scopes.map { "`\($0.rawValue)`" }.joined(separator: " or ")
            return
                "| `\(row.route)` | \(row.effect) | \(row.money.rawValue) | \(scopes) | \(row.secondPerson.rawValue) |"
        }
        return (head + rows).joined(separator: "\n")
    }

    /// `make trust` rewrites the table.
    @Test func theDocumentHasTheTable() throws {
        let text = try String(contentsOf: Self.document, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let first = try #require(lines.firstIndex { $0.hasPrefix("| route |") })
        let end = lines[first...].firstIndex { !$0.hasPrefix("|") } ?? lines.endIndex
        if ProcessInfo.processInfo.environment["DAYBOOK_WRITE_TRUST"] == "1" {
            let written = lines[..<first].map(String.init) + [Self.table] + lines[end...].map(String.init)
            try written.joined(separator: "\n").write(to: Self.document, atomically: true, encoding: .utf8)
        } else {
            #expect(lines[first..<end].joined(separator: "\n") == Self.table)
        }
    }

    /// Each route that changes something is in the table, and each row has a route.
    @Test func theTableHasEveryRouteThatChangesTheLedger() throws {
        let ledger = Ledger(configuration: PostgresConfiguration(connectionString: ""), logger: TestLog.logger)
        let api = API(ledger: ledger, readiness: Readiness(), logger: TestLog.logger, metrics: { "" })
        let changing = api.router().routes.filter { $0.method != .get }
        #expect(Set(changing.map { "\($0.method.rawValue) \($0.template)" }) == Set(API.authorities.map(\.route)))
    }

    /// The published description has the scopes of the first row of each route.
    @Test func theDescriptionHasTheScopes() throws {
        let operations = try Contract.published.get().operations
        for (route, rows) in Dictionary(grouping: API.authorities, by: \.route) {
            let operation = try #require(operations.first { "\($0.method) \($0.template)" == route }, "\(route)")
            let scopes = try #require(rows.first).permission.scopes.map(\.rawValue)
            #expect(Set(operation.alternatives) == Set(scopes.map { [$0] }), "\(route)")
        }
    }
}
