import ArgumentParser
import Canonical
import DaybookAPI
import Ledger
import Payments
import Projections

struct AnomaliesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anomalies",
        abstract: "List what does not fit, and what has become of it.",
        discussion: """
            Newest first. An anomaly is open until somebody acknowledges it with POST /v1/anomalies/{id}/acknowledge, or
            later evidence explains it. --json prints what GET /v1/anomalies answers.

            EXAMPLES
              daybook anomalies --state open
              daybook anomalies --kind conflicting-outcome --json | jq '.items[].explanation'
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "open, acknowledged or cleared.")
    var state: String?

    @Option(help: "Only anomalies of this kind.")
    var kind: String?

    @Option(help: "Only what this vendor's SDK told.")
    var vendor: String?

    @Option(help: "Only this merchant's.")
    var merchant: String?

    @Option(help: "How many, 1 to 1000.")
    var limit = 100

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        let filter = try self.filter()
        try await Session.open(common) { session in
            // The read model may be behind when no server runs: this command follows the log itself.
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let found = try await ledger.anomalies.anomalies(of: tenant, matching: filter, limit: limit + 1)
                let items = found.prefix(limit)
                if common.json {
                    Terminal.say(["items": .array(items.map(\.json)), "more": .bool(found.count > limit)])
                } else {
                    Self.show(Array(items))
                }
                if found.count > limit { Terminal.note("There are more: give a larger --limit, or a filter.") }
            }
        }
    }

    private func filter() throws -> AnomalyFilter {
        func name<Value: RawRepresentable & CaseIterable>(_ text: String?, _ type: Value.Type, _ option: String) throws
            -> Value? where Value.RawValue == String
        {
            guard let text else { return nil }
            guard let value = Value(rawValue: text) else {
                let names = Value.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure("\(option) is one of: \(names).")
            }
            return value
        }
        var filter = AnomalyFilter()
        filter.state = try name(state, AnomalyView.State.self, "--state")
        filter.kind = try name(kind, Anomaly.Kind.self, "--kind")
        filter.vendor = try name(vendor, Vendor.self, "--vendor")
        filter.merchant = merchant
        return filter
    }

    private static func show(_ anomalies: [AnomalyView]) {
        if anomalies.isEmpty { return Terminal.say("no anomalies") }
        Terminal.table(
            ["id", "when (UTC)", "state", "kind", "on", "explanation"],
            anomalies.map {
                [
                    $0.id.text, $0.occurredAt.rfc3339, $0.state.rawValue, $0.anomaly.kind.rawValue, $0.stream,
                    $0.anomaly.explanation,
                ]
            }
        )
    }
}
