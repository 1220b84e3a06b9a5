import ArgumentParser
import Canonical
import Composition
import EventLog
import Foundation
import Intake
import Operations
import Payments
import Projections

struct MerchantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "merchants",
        abstract: "Show the zones and cut-offs of merchants, or set those of one merchant.",
        discussion: """
            Totals and days of one merchant use its own zone and cut-off unless others are given. --zone records a new \
            description of the merchant with a reason, which holds until the next one. --json prints the answer of GET \
            /v1/merchants, and with a merchant the answer of GET /v1/merchants/{merchant}.

            EXAMPLES
              daybook merchants
              daybook merchants 8846 --zone America/New_York --cutoff 04:00 \\
                --reason 'the bar closes at three'
              daybook merchants 8846 --json | jq .zone
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The merchant's name in its documents.")
    var merchant: String?

    @Option(help: "The merchant's zone, such as America/New_York or +01:00.")
    var zone: String?

    @Option(help: "The time at which its business day begins, such as 04:00. Default: midnight.")
    var cutoff: String?

    @Option(help: "The reason, which is recorded.")
    var reason: String?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard zone != nil || cutoff == nil && reason == nil else {
            throw ValidationError("--cutoff and --reason need --zone.")
        }
        guard zone == nil || merchant != nil && reason != nil else {
            throw ValidationError("--zone needs a merchant and a --reason.")
        }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: zone == nil ? .reading(Lists.merchants.readModels) : .applying) {
                ledger in
                let tenant = try await ledger.tenant(tenantName)
                if let merchant, let zone {
                    try await describe(merchant, zone, of: tenant, in: ledger)
                    try await ledger.catchUp()
                }
                if let merchant { return try await show(merchant, of: tenant, in: ledger) }
                try await ledger.say(
                    Lists.merchants.request(()),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no merchant has been described",
                    Self.show
                )
            }
        }
    }

    private func describe(_ merchant: String, _ zone: String, of tenant: String, in ledger: Ledger) async throws {
        guard let days = BusinessDay(zone: zone, cutoff: cutoff) else {
            throw Failure.usage("--zone has a form such as Europe/Berlin, UTC or +01:00, and --cutoff such as 04:00.")
        }
        guard MerchantCommands.isName(merchant) else {
            throw Failure("The merchant is missing, too long, or holds card data.")
        }
        let reason = try Failure.reason(reason)
        let sender = ledger.sender(tenant)
        _ = try await ledger.intake.merchants.describe(
            merchant,
            zone: days.zone.name,
            cutoff: days.cutoff,
            reason: reason,
            idempotencyKey: nil,
            sender: sender
        )
    }

    private func show(_ merchant: String, of tenant: String, in ledger: Ledger) async throws {
        guard let found = try await ledger.describedMerchant(merchant, of: tenant) else {
            throw Failure(
                "The merchant has not been described.",
                hint: "Its days are in UTC until --zone and --reason set another zone."
            )
        }
        if common.json { return try Terminal.say(json: found) }
        Self.show([found])
    }

    private static func show(_ items: [MerchantJSON]) {
        Terminal.table(
            ["merchant", "zone", "cutoff", "at", "by", "reason", "names"],
            items.map { item in
                let names = (item.names ?? []).map {
                    "\($0.name) (\($0.role)\($0.ambiguous == true ? ", ambiguous" : ""))"
                }
                return [
                    item.merchant, item.zone, item.cutoff, item.at.rfc3339, item.by, item.reason,
                    names.joined(separator: ", "),
                ]
            }
        )
    }
}
