import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct DuplicatesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "duplicates",
        abstract: "List suspected duplicates: pairs of payments that may be one payment charged twice.",
        discussion: """
            Two payments with the same card, amount and till within a window, under different keys; the newest first. \
            Payments that were declined, voided or fully refunded are left out. --json prints the answer of GET \
            /v1/duplicates.

            EXAMPLES
              daybook duplicates --from 2026-03-01T00:00:00Z
              daybook duplicates --window 3600 --merchant 8846 --json | jq '.items[].amount'
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The maximum number of seconds between the two, 1 to 604800.")
    var window: Int64 = 300

    @Option(help: "Only payments reported by this vendor's SDK.")
    var vendor: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "Only this terminal.")
    var terminal: String?

    @Option(help: "Only pairs whose later payment happened at this time (RFC 3339) or later.")
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
        guard (1...604_800).contains(window) else { throw ValidationError("--window must be 1 to 604800.") }
    }

    func run() async throws {
        var filter = DuplicateQuery.Filter()
        filter.windowSeconds = window
        filter.vendor = try vendor.map(Vendor.init(named:))
        filter.merchant = merchant
        filter.terminal = terminal
        filter.occurredFrom = try from.map { try TotalsCommand.time($0, "--from") }
        filter.occurredBefore = try to.map { try TotalsCommand.time($0, "--to") }
        try await Session.open(common) { [filter] session in
            try await session.withLedger(for: .reading(Lists.duplicates.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.say(
                    Lists.duplicates.request(filter),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no suspected duplicates",
                    Self.show
                )
            }
        }
    }

    private static func show(_ pairs: [DuplicateJSON]) {
        Terminal.table(
            ["later", "earlier", "when (UTC)", "apart", "card", "terminal", "amount"],
            pairs.map { pair in
                [
                    pair.later.transaction.text, pair.earlier.transaction.text, pair.later.occurredAt.rfc3339,
                    "\(pair.gapSeconds) s", [pair.brand, pair.lastFour].compactMap(\.self).joined(separator: " "),
                    pair.terminal ?? "-", pair.amount.description,
                ]
            },
            rightAligned: [3, 6]
        )
    }
}
