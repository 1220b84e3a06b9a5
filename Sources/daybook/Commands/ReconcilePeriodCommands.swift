import ArgumentParser
import Canonical
import Composition
import Foundation
import Intake
import Matching
import Operations
import Payments
import Projections
import Reconciliation
import Redaction

struct ReconcileCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Close or reopen a business day of a merchant, or list the closed days.",
        discussion: """
            Closing records the totals of the day, in the merchant's own zone, with the open exceptions. Later events \
            still count; --changes shows the changes since the closing. --json prints the answer of /v1/periods.

            EXAMPLES
              daybook reconcile close
              daybook reconcile close 8846 2026-03-01 --reason 'the deposit has arrived'
              daybook reconcile close 8846 2026-03-01 --changes
              daybook reconcile close 8846 2026-03-01 --reopen \\
                --reason 'the acquirer has sent a correction'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The merchant.")
    var merchant: String?

    @Argument(help: "The day, such as 2026-03-01.")
    var day: String?

    @Option(help: "The reason, which is recorded.")
    var reason: String?

    @Flag(help: "Reopen the day.")
    var reopen = false

    @Flag(help: "Show the changes since the day was closed.")
    var changes = false

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard (merchant == nil) == (day == nil) || day == nil && reason == nil else {
            throw ValidationError("Name the merchant and the day.")
        }
        guard !(reopen && changes), !changes || reason == nil, reason == nil || day != nil, !reopen || reason != nil
        else { throw ValidationError("--reopen needs --reason; --changes excludes both.") }
        guard day == nil || reason != nil || changes else {
            throw ValidationError("Give --reason or --changes.")
        }
    }

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: work) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let merchant, let day else { return try await list(of: tenant, in: ledger) }
                if changes { return try await showChanges(merchant, day, of: tenant, in: ledger) }
                try await ledger.catchUp()
                let reason = try Failure.reason(reason)
                let outcome = try await record(merchant, day, reason, of: tenant, in: ledger)
                _ = try await ledger.readModels.wait(
                    for: "reconciliation",
                    toReach: outcome.position,
                    timeout: .seconds(60)
                )
                guard let found = try await ledger.reconciliation.query.period(outcome.period, of: tenant) else {
                    throw Failure("The period cannot be read.", hint: "`daybook reconcile close` lists them.")
                }
                let period = try PeriodJSON(found)
                if common.json { return try Terminal.say(json: period) }
                PeriodText.show([period])
            }
        }
    }

    private var work: Ledger.Work {
        guard reason == nil else { return .applying }
        return .reading(changes ? Lists.periodChanges.readModels : Lists.periods.readModels)
    }

    private func record(
        _ merchant: String,
        _ day: String,
        _ reason: Reason,
        of tenant: String,
        in ledger: Ledger
    ) async throws -> PeriodCommands.Outcome {
        let sender = ledger.sender(tenant)
        do {
            if reopen {
                return try await ledger.reconciliation.periodCommands.reopen(
                    merchant: merchant,
                    day: day,
                    reason: reason,
                    idempotencyKey: nil,
                    sender: sender
                )
            }
            return try await ledger.closePeriod(
                merchant: merchant,
                day: day,
                reason: reason,
                idempotencyKey: nil,
                sender: sender,
                waitLimit: .seconds(60)
            )
        } catch let refusal as PeriodCommands.Refusal {
            switch refusal {
            case .alreadyClosed: throw Failure(Operations.Refusal(refusal), hint: "--reopen opens it again.")
            case .notClosed, .notOver: throw Failure(Operations.Refusal(refusal))
            case .unknownMerchant:
                throw Failure(
                    Operations.Refusal(refusal),
                    hint: "`daybook merchants` describes one; payments and lines of statements name them."
                )
            }
        } catch let problem as IntakeProblem {
            throw Failure(problem.detail)
        }
    }

    private func list(of tenant: String, in ledger: Ledger) async throws {
        var filter = PeriodFilter()
        filter.merchant = merchant
        try await ledger.say(
            Lists.periods.request(filter),
            of: tenant,
            limit: limit,
            asJSON: common.json,
            nothing: "no day is closed",
            PeriodText.show
        )
    }

    private func showChanges(_ merchant: String, _ day: String, of tenant: String, in ledger: Ledger) async throws {
        let id = StreamName.periodID(merchant, day, of: tenant)
        guard try await ledger.reconciliation.query.period(id, of: tenant) != nil else {
            throw Failure("The day is not closed.", hint: "`daybook reconcile close` lists the closed days.")
        }
        let page = try await ledger.page(Lists.periodChanges.request(.init(period: id)), of: tenant, limit: limit)
        if common.json { return Terminal.say(.object(try page.json())) }
        let items = try page.items()
        let count =
            items.isEmpty
            ? "no changes" : page.next == nil ? "\(items.count, "change")" : "\(items.count) and more changes"
        Terminal.say("\(count) since it was closed\(items.isEmpty ? "" : ":")")
        for item in items { Terminal.say(item.text) }
    }
}

struct ReconcilePeriodCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "period",
        abstract: "Show a closed business day with the totals recorded at its closing.",
        discussion: """
            `daybook reconcile close MERCHANT DAY --changes` shows the changes since. --json prints the answer of GET \
            /v1/periods/{id}.

            EXAMPLES
              daybook reconcile period 0c0b4a0e-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the closed day.")
    var id: String

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.periods.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let known = UUID128(id),
                    let found = try await ledger.reconciliation.query.period(known, of: tenant)
                else {
                    throw Failure("There is no such closed day.", hint: "`daybook reconcile close` lists them.")
                }
                let period = try PeriodJSON(found)
                if common.json { return try Terminal.say(json: period) }
                PeriodText.show([period])
                Terminal.say()
                Terminal.table(
                    ["currency", "captured", "tips", "refunded", "credited", "voided", "net"],
                    period.totals.map { total in
                        [total.currency.alpha]
                            + [total.captured, total.tip, total.refunded, total.credited, total.voided, total.net]
                            .map(\.description)
                    },
                    rightAligned: [1, 2, 3, 4, 5, 6]
                )
                guard !period.carried.isEmpty else { return }
                Terminal.say()
                Terminal.table(
                    ["open then", "count", "amount"],
                    period.carried.map { [$0.class.rawValue, "\($0.count)", $0.amount?.description ?? "-"] },
                    rightAligned: [1, 2]
                )
            }
        }
    }
}

/// Closed days as tables.
private enum PeriodText {
    static func show(_ periods: [PeriodJSON]) {
        Terminal.table(
            ["merchant", "day", "status", "net", "open then", "by", "at (UTC)", "reason"],
            periods.map { period in
                let nets = period.totals.map(\.net.description).joined(separator: ", ")
                return [
                    period.merchant, period.day, period.status.rawValue, nets.isEmpty ? "-" : nets,
                    "\(period.carriedCount)", period.by, period.at.rfc3339, period.reason,
                ]
            },
            rightAligned: [3, 4]
        )
    }
}
