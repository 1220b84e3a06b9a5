package import Canonical
package import Composition
package import Intake
package import Journal
import Payments
package import Redaction

/// A version of the chart of accounts that an operator defines.
package struct DefineChart: Sendable, Hashable {
    package var accounts: [NamedAccount]
    package var reason: Reason
    /// The version that the chart must still have; nil if it may have any.
    package var version: Int64?

    /// `{"accounts": [{"account": "sales", "name": "Revenue", "number": "4000"}], "reason": "..."}`: accounts and
    /// members that are left out have their standard values.
    ///
    /// - Throws: `ChartProblem` for invalid accounts, `IntakeProblem` for the rest.
    package init(reading json: JSONValue) throws {
        let body = try CommandBody(json, members: ["accounts", "reason", "expectedVersion"])
        reason = try body.reason()
        version = try body.expectedVersion()
        guard let entries = body["accounts"]?.array else {
            throw ChartProblem(.invalid, at: "/accounts", "`accounts` is a list of accounts with their names.")
        }
        accounts = try Chart.accounts(
            named: try entries.enumerated().map { try Self.naming($1, at: "/accounts/\($0)") }
        )
    }

    private static let members: Set = ["account", "root", "name", "number"]

    private static func naming(_ entry: JSONValue, at pointer: String) throws(ChartProblem) -> AccountNaming {
        guard let object = entry.object, object.members.allSatisfy({ members.contains($0.key) }) else {
            throw ChartProblem(.invalid, at: pointer, "An entry has `account`, `root`, `name` and `number`.")
        }
        func text(_ name: String) throws(ChartProblem) -> String? {
            guard let value = object[name] else { return nil }
            guard let text = value.string else {
                throw ChartProblem(.invalid, at: "\(pointer)/\(name)", "It is a text.")
            }
            guard TextScrubber().scrub(text).text == text else {
                throw ChartProblem(.cardData, at: "\(pointer)/\(name)", "It could be a card number.")
            }
            return text
        }
        guard let account = try text("account").flatMap(Account.init) else {
            throw ChartProblem(.unknownAccount, at: "\(pointer)/account", "`GET /v1/accounts` lists the accounts.")
        }
        var naming = AccountNaming(account)
        if let root = try text("root") {
            guard let root = Chart.Root(rawValue: root) else {
                let roots = Chart.Root.allCases.map(\.rawValue).joined(separator: ", ")
                throw ChartProblem(.unknownRoot, at: "\(pointer)/root", "A root is one of \(roots).")
            }
            naming.root = root
        }
        naming.name = try text("name")
        naming.number = try text("number")
        return naming
    }
}

extension Ledger {
    /// Records a version of the chart.
    ///
    /// - Throws: The errors of `ChartCommands.define`.
    package func define(
        _ command: DefineChart,
        idempotencyKey: String?,
        sender: Sender
    ) async throws -> ChartCommands.Outcome {
        try await chartCommands.define(
            command.accounts,
            reason: command.reason.text,
            replacing: command.version,
            idempotencyKey: idempotencyKey,
            sender: sender
        )
    }
}
