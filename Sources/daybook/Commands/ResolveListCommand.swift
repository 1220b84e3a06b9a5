import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Operations
import Payments
import Projections
import Replay

struct ResolveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List payments with an unknown outcome, and approvals that must be reversed.",
        discussion: """
            --json prints the answer of GET /v1/doubts. The gateways are read from the same configuration as by \
            `daybook serve`.

            EXAMPLES
              daybook resolve list
              daybook resolve list --needs-person --older-than 2h --sort value
              daybook resolve list --merchant 8846 --json | jq '.items[].attention'
            """
    )

    @OptionGroup var common: CommonOptions
    @OptionGroup var doubts: DoubtOptions

    @Option(help: "The order: age (the oldest first) or value (the highest first).")
    var sort = "age"

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard DoubtQuery.Order(rawValue: sort) != nil else { throw ValidationError("--sort must be age or value.") }
    }

    func run() async throws {
        let filter = try doubts.filter()
        let order = DoubtQuery.Order(rawValue: sort) ?? .age
        try await Session.open(common) { session in
            let gateways = try session.settings.gateways()
            try await session.withLedger(for: .reading(Lists.doubts.readModels), gateways: gateways) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let isFiltered = try !doubts.query().isEmpty
                let page = try await ledger.say(
                    Lists.doubts.request(Sorted(filter, by: order)),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: DoubtText.nothing(isFiltered: isFiltered),
                    DoubtText.show
                )
                guard !common.json else { return }
                for total in try page.head(as: DoubtTotalsJSON.self).totals {
                    Terminal.note("\(total.count) in doubt: \(total.atRisk)")
                }
            }
        }
    }
}

struct ResolveShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the doubt of one payment, and the calls to its gateways.",
        discussion: """
            --json prints the answer of GET /v1/doubts/{id}. An earlier state is as recorded then, judged by the rules \
            of that day.

            EXAMPLES
              daybook resolve show 0198c5f2-...
              daybook resolve show 0198c5f2-... --as-of 2026-03-01T12:00:00Z
              daybook resolve show 0198c5f2-... --json | jq '.calls'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the payment.")
    var id: String

    @Option(help: "The state as recorded at this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The state as of this position of the log.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        guard let payment = UUID128(id) else { throw DoubtText.unknown }
        let moment = try Moment(time: asOf, position: asOfPosition)
        try await Session.open(common) { session in
            let gateways = try session.settings.gateways()
            try await session.withLedger(for: .reading(Lists.doubts.readModels), gateways: gateways) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let json = try await ledger.doubt(payment, of: tenant, at: moment) else {
                    throw DoubtText.unknown
                }
                common.json ? try Terminal.say(json: json) : DoubtText.show(one: json)
            }
        }
    }
}
