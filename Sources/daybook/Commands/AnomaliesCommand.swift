import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct AnomaliesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "anomalies",
        abstract: "List anomalies with their states.",
        discussion: """
            The newest come first. An anomaly is open until an operator acknowledges it with POST \
            /v1/anomalies/{id}/acknowledge, or later evidence clears it. --json prints the answer of GET \
            /v1/anomalies, and with an id the answer of GET /v1/anomalies/{id}.

            EXAMPLES
              daybook anomalies --state open
              daybook anomalies 0198c5f2-... --json
              daybook anomalies --kind conflicting-outcome --json \\
                | jq '.items[].explanation'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of one anomaly, which is shown with its acknowledgement.")
    var id: String?

    @Option(help: "open, acknowledged or cleared.")
    var state: String?

    @Option(help: "Only anomalies of this kind.")
    var kind: String?

    @Option(help: "Only anomalies reported by this vendor's SDK.")
    var vendor: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "Only items that happened at this time (RFC 3339) or later.")
    var from: String?

    @Option(help: "Only items that happened before this time.")
    var to: String?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        let filter = try self.filter()
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.anomalies.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                if let id { return try await show(id, of: tenant, in: ledger) }
                try await ledger.say(
                    Lists.anomalies.request(filter),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no anomalies",
                    Self.show
                )
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
                throw Failure.usage("\(option) is one of: \(names).")
            }
            return value
        }
        var filter = AnomalyFilter()
        filter.state = try name(state, AnomalyView.State.self, "--state")
        filter.kind = try name(kind, Anomaly.Kind.self, "--kind")
        filter.vendor = try name(vendor, Vendor.self, "--vendor")
        filter.merchant = merchant
        filter.occurredFrom = try from.map { try TotalsCommand.time($0, "--from") }
        filter.occurredBefore = try to.map { try TotalsCommand.time($0, "--to") }
        return filter
    }

    private func show(_ id: String, of tenant: String, in ledger: Ledger) async throws {
        guard let known = UUID128(id), let found = try await ledger.payments.anomalies.anomaly(known, of: tenant) else {
            throw Failure("There is no such anomaly.", hint: "`daybook anomalies` lists them.")
        }
        if common.json { return try Terminal.say(json: AnomalyJSON(found)) }
        Self.show([AnomalyJSON(found)])
        if let reported = found.acknowledgement {
            Terminal.say("acknowledged \(reported.at.rfc3339) by \(reported.by): \(reported.reason)")
        }
    }

    private static func show(_ anomalies: [AnomalyJSON]) {
        Terminal.table(
            ["id", "when (UTC)", "state", "kind", "on", "explanation"],
            anomalies.map {
                [
                    $0.id.text, $0.occurredAt.rfc3339, $0.state.rawValue, $0.kind.rawValue, $0.stream, $0.explanation,
                ]
            }
        )
    }
}
