import ArgumentParser
import Canonical
import Composition
import EventLog
import Operations
import Payments
import Projections

struct ChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Show the changes in a batch since it was closed, or in a business day between two positions.",
        discussion: """
            Prints each changed line with its values before and after. --json prints the answers of GET \
            /v1/batches/{id}/changes and GET /v1/totals/changes.

            EXAMPLES
              daybook changes --batch 121
              daybook changes --day 2026-03-01 --zone Europe/Berlin --from-position 120000
              daybook changes --day 2026-03-01 --merchant 8846
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The number or id of a batch.")
    var batch: String?

    @Option(help: "A business day, such as 2026-03-01.")
    var day: String?

    @Option(help: "Only this merchant. Its own business day applies unless --zone or --cutoff is given.")
    var merchant: String?

    @Option(help: "The zone of the business day, such as Europe/Berlin or +01:00.")
    var zone: String?

    @Option(help: "The time at which the business day begins, such as 04:00.")
    var cutoff: String?

    @Option(help: "The earlier position. Default: the closing of the batch, or the beginning of the log.")
    var fromPosition: Int64?

    @Option(help: "The later position. Default: the end of the log.")
    var toPosition: Int64?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
        guard batch == nil || (day == nil && merchant == nil) else {
            throw ValidationError("Give --batch, or --day and --merchant, not both.")
        }
    }

    func run() async throws {
        let scope = ChangesScope(merchant: merchant, day: day, days: try BusinessDayRequest(zone: zone, cutoff: cutoff))
        if let day, BusinessDay.standard.interval(of: day) == nil {
            throw Failure.usage("--day is a day, such as 2026-03-01.")
        }
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.changes.readModels + Lists.merchants.readModels)) {
                ledger in
                let tenant = try await ledger.tenant(tenantName)
                let batch = try await Self.batch(batch, of: tenant, in: ledger)
                let filter = ChangesFilter(
                    batch: batch?.id,
                    scope: scope,
                    positions: ComparedPositions(from: fromPosition, to: toPosition)
                )
                let wanted = Lists.changes.request(filter)
                try show(try await ledger.page(wanted, of: tenant, after: cursor, limit: limit))
            }
        }
    }

    private static func batch(_ text: String?, of tenant: String, in ledger: Ledger) async throws -> BatchView? {
        guard let text else { return nil }
        if let id = UUID128(text), let found = try await ledger.payments.batches.batch(id, of: tenant) { return found }
        let found = try await ledger.payments.batches.batches(of: tenant, number: text, limit: 10)
        guard found.count < 2 else {
            let names = found.map { "\($0.id.text) \($0.reference.vendor.rawValue) \($0.reference.account ?? "-")" }
            throw Failure("Several batches have this number. Use an id.", hint: names.joined(separator: "\n  "))
        }
        guard let one = found.first else {
            throw Failure("There is no such batch.", hint: "`daybook batch` lists them.")
        }
        return one
    }

    private func show(_ found: ListDocument) throws {
        let page = try found.read(as: ChangePageJSON.self)
        if common.json {
            Terminal.say(try found.json().saying(more: found.next != nil))
        } else if page.items.isEmpty {
            Terminal.say("nothing changed between position \(page.fromPosition) and \(page.toPosition)")
        } else {
            func text(_ line: BatchMemberJSON?) -> String {
                guard let line else { return "-" }
                return "\(line.amount)\(line.voided.value > 0 ? ", \(line.voided) voided" : "")"
            }
            Terminal.table(
                ["transaction", "line", "before", "after"],
                page.items.map { [$0.transaction.text, $0.line, text($0.before), text($0.after)] }
            )
            Terminal.note("Between position \(page.fromPosition) and \(page.toPosition).")
            if let cutoff = page.cutoff, let zone = page.zone {
                Terminal.note("Business days begin at \(cutoff) in the zone \(zone).")
            }
        }
        if let next = page.next { Terminal.note("There are more: continue with --cursor '\(next)'.") }
    }
}
