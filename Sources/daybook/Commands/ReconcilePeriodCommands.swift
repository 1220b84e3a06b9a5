import ArgumentParser
import Canonical
import DaybookAPI
import Foundation
import Intake
import Ledger
import Operations
import Payments
import Projections
import Reconciliation
import Tables

struct ReconcileReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show the reconciliation report, with every cent on both sides.",
        discussion: """
            Exit code 2: some money is not explained, or an exception is open. --json prints the answer of
            GET /v1/reconciliation-report.

            EXAMPLES
              daybook reconcile report --from 2026-03-01 --to 2026-03-31
              daybook reconcile report --merchant 8846 --csv > march.csv
              daybook reconcile report --html > march.html
              daybook reconcile report --merchant 8846 --as-of 2026-04-02T08:00:00Z
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "The first day, such as 2026-03-01.")
    var from: String?

    @Option(help: "The last day.")
    var to: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(help: "The report as of this time (RFC 3339).")
    var asOf: String?

    @Option(help: "The report as of this position of the log.")
    var asOfPosition: Int64?

    @Flag(help: "Print CSV, one row per figure.")
    var csv = false

    @Flag(help: "Print an HTML page.")
    var html = false

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard [csv, html, common.json].count(where: { $0 }) < 2 else {
            throw ValidationError("--csv, --html and --json exclude each other.")
        }
    }

    func run() async throws {
        let scope = ReportScope(from: try day(from, "--from"), to: try day(to, "--to"), merchant: merchant)
        let moment = try Moment(time: asOf, position: asOfPosition)
        let isClean = try await Session.open(common) { session in
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let answer = try await ledger.report(
                    of: tenant,
                    scope,
                    at: moment,
                    until: .now.advanced(by: .seconds(60))
                )
                show(answer)
                return answer.report.balances.allSatisfy(\.isExplained)
                    && answer.report.exceptions.allSatisfy { $0.open == 0 }
            }
        }
        if !isClean { throw ExitCode(2) }
    }

    private func day(_ text: String?, _ option: String) throws -> CivilDate? {
        guard let text else { return nil }
        guard let day = CivilDate(text) else {
            throw Failure("\(option) must be a day such as 2026-03-01.", exitCode: 64)
        }
        return day
    }

    private func show(_ answer: ReportAnswer) {
        if common.json { return Terminal.say(answer.json) }
        if csv { return FileHandle.standardOutput.write(Data(answer.csv(.raw))) }
        if html {
            return Terminal.say(ReportPage.render(answer.report, answer.scope, now: answer.now, isPast: answer.isPast))
        }
        let report = answer.report
        Terminal.say(
            answer.scope.sentence
                + ", as of position \(report.position)"
                + (report.covers.map { "; a run has examined everything up to \($0)" }
                    ?? ", before the first run: `daybook reconcile run`")
        )
        Terminal.say("Business days begin at \(report.days.cutoff) in the zone \(report.days.zone.name).")
        Terminal.say()
        Terminal.table(
            ["currency", "processors", "ledger", "unexplained", "not examined"],
            report.balances.map { balance in
                [balance.currency]
                    + [balance.processor, balance.ledger, balance.difference].map { Self.money($0, balance.currency) }
                    + [String(balance.unexamined)]
            },
            rightAligned: [1, 2, 3, 4]
        )
        Terminal.say()
        Terminal.table(
            ["side", "currency", "explained by", "count", "amount"],
            (report.processor.map { ("processors", $0) } + report.ledger.map { ("ledger", $0) }).map { side, share in
                [
                    side, share.currency, share.state.rawValue, String(share.count),
                    Self.money(share.amount, share.currency),
                ]
            },
            rightAligned: [3, 4]
        )
        Terminal.say()
        Terminal.table(
            ["accounts", "currency", "count", "gross", "fees kept", "moved"],
            report.account.map { line in
                [line.kind.rawValue, line.currency, String(line.count)]
                    + [line.gross, line.fees, line.amount].map { Self.money($0, line.currency) }
            },
            rightAligned: [2, 3, 4, 5]
        )
        if !report.deposits.isEmpty {
            Terminal.say()
            Terminal.table(
                ["deposits", "currency", "state", "count", "amount"],
                report.deposits.map { one in
                    [
                        one.side.rawValue, one.currency, one.state.rawValue, String(one.count),
                        Self.money(one.amount, one.currency),
                    ]
                },
                rightAligned: [3, 4]
            )
        }
        guard !report.exceptions.isEmpty else { return }
        Terminal.say()
        Terminal.table(
            [
                "exceptions", "currency", "< 2 days", "< 8", "< 31", "older", "open", "unexplained", "no merchant",
                "resolved",
            ],
            report.exceptions.map { share in
                [share.exceptionClass, share.currency ?? "-"] + share.ages.map { String($0) }
                    + [
                        String(share.open), share.currency.map { Self.money(share.openAmount, $0) } ?? "-",
                        String(share.unattributed), String(share.resolved),
                    ]
            },
            rightAligned: [2, 3, 4, 5, 6, 7, 8, 9]
        )
    }

    private static func money(_ value: Int64?, _ currency: String) -> String {
        guard let value else { return "beyond 64 bits" }
        return Currency(alpha: currency).map { Money(value, $0).decimalText } ?? String(value)
    }
}

struct ReconcileCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Close or reopen a business day of a merchant, or list the closed days.",
        discussion: """
            Closing records the totals of the day, in the merchant's own zone, with the open exceptions. Later events still
            count; --changes shows the changes since the closing. --json prints the answer of /v1/periods.

            EXAMPLES
              daybook reconcile close
              daybook reconcile close 8846 2026-03-01 --reason 'the deposit has arrived'
              daybook reconcile close 8846 2026-03-01 --changes
              daybook reconcile close 8846 2026-03-01 --reopen --reason 'the acquirer has sent a correction'
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
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                guard let merchant, let day else { return try await list(of: tenant, in: ledger) }
                if changes { return try await showChanges(merchant, day, of: tenant, in: ledger) }
                let reason = try Failure.checked(reason: reason ?? "")
                let outcome = try await record(merchant, day, reason, of: tenant, in: ledger)
                _ = try await ledger.readModels.wait(
                    for: "reconciliation",
                    toReach: outcome.position,
                    timeout: .seconds(60)
                )
                guard let found = try await ledger.reconciliationQuery.period(outcome.period, of: tenant) else {
                    throw Failure("The period cannot be read.", hint: "`daybook reconcile close` lists them.")
                }
                if common.json { return Terminal.say(try found.json()) }
                PeriodText.show([try found.json()])
            }
        }
    }

    private func record(
        _ merchant: String,
        _ day: String,
        _ reason: String,
        of tenant: String,
        in ledger: Ledger
    ) async throws -> PeriodCommands.Outcome {
        let sender = Sender(tenant: tenant, actor: "cli:\(NSUserName())", correlation: ledger.ids.next().text)
        do {
            if reopen {
                return try await ledger.periodCommands.reopen(
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
        let found = try await ledger.page(.periods(filter), of: tenant, after: nil, limit: limit)
        let items = try found.items.map { try JSONValue(parsing: $0.utf8) }
        if common.json {
            var page: JSONObject = ["items": .array(items)]
            page.set("next", found.next?.text)
            return Terminal.say(page.saying(more: found.next != nil))
        }
        if items.isEmpty { return Terminal.say("no day is closed") }
        PeriodText.show(items)
    }

    private func showChanges(_ merchant: String, _ day: String, of tenant: String, in ledger: Ledger) async throws {
        let id = StreamName.periodID(merchant, day, of: tenant)
        guard let page = try await ledger.changes(ofPeriod: id, of: tenant, limit: limit) else {
            throw Failure("The day is not closed.", hint: "`daybook reconcile close` lists the closed days.")
        }
        if common.json { return Terminal.say(.object(page.json)) }
        if page.items.isEmpty { return Terminal.say("no changes since it was closed") }
        Terminal.say("\(page.items.count)\(page.next == nil ? "" : " and more") changes since it was closed:")
        for item in page.items { Terminal.say(item.text) }
    }

}

struct ReconcilePeriodCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "period",
        abstract: "Show a closed business day with the totals recorded at its closing.",
        discussion: """
            `daybook reconcile close MERCHANT DAY --changes` shows the changes since. --json prints the answer of
            GET /v1/periods/{id}.

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
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                guard let known = UUID128(id),
                    let found = try await ledger.reconciliationQuery.period(known, of: tenant)
                else {
                    throw Failure("There is no such closed day.", hint: "`daybook reconcile close` lists them.")
                }
                let item = try found.json()
                if common.json { return Terminal.say(item) }
                PeriodText.show([item])
                Terminal.say()
                Terminal.table(
                    ["currency", "captured", "tips", "refunded", "credited", "voided", "net"],
                    (item["totals"]?.array ?? []).map { total in
                        [total["currency"]?.string ?? ""]
                            + ["captured", "tip", "refunded", "credited", "voided", "net"].map {
                                ExceptionText.money(total[$0])
                            }
                    },
                    rightAligned: [1, 2, 3, 4, 5, 6]
                )
                let carried = item["carried"]?.array ?? []
                guard !carried.isEmpty else { return }
                Terminal.say()
                Terminal.table(
                    ["open then", "count", "amount"],
                    carried.map { one in
                        [
                            one["class"]?.string ?? "", one["count"]?.text ?? "", ExceptionText.money(one["amount"]),
                        ]
                    },
                    rightAligned: [1, 2]
                )
            }
        }
    }
}

/// Closed days as tables.
private enum PeriodText {
    static func show(_ items: [JSONValue]) {
        Terminal.table(
            ["merchant", "day", "status", "net", "open then", "by", "at (UTC)", "reason"],
            items.map { item in
                let nets = (item["totals"]?.array ?? []).map { ExceptionText.money($0["net"]) }
                let carried = (item["carried"]?.array ?? []).compactMap { $0["count"]?.int64 }.reduce(0, +)
                return [
                    item["merchant"]?.string ?? "", item["day"]?.string ?? "", item["status"]?.string ?? "",
                    nets.isEmpty ? "-" : nets.joined(separator: ", "), String(carried), item["by"]?.string ?? "",
                    item["at"]?.string ?? "", item["reason"]?.string ?? "",
                ]
            },
            rightAligned: [3, 4]
        )
    }
}
