import ArgumentParser
import Canonical
import Composition
import Foundation
import Operations
import Payments
import Projections
import Reconciliation
import Tables

struct ReconcileReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Show the reconciliation report, with all money on both sides.",
        discussion: """
            Exit code 2: a difference is unexplained, suspense has money without an open exception, or an exception is \
            open. Suspense is compared without --from, --to and --merchant. --json prints the answer of GET \
            /v1/reconciliation-report.

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
            try await session.withLedger(for: .reading(Ledger.reportModels + Lists.merchants.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let answer = try await ledger.report(
                    of: tenant,
                    scope,
                    at: moment,
                    until: .now.advanced(by: .seconds(60))
                )
                try show(answer)
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

    private func show(_ answer: ReportAnswer) throws {
        if common.json { return try Terminal.say(json: ReportJSON(answer)) }
        if csv { return FileHandle.standardOutput.write(Data(try answer.csv(.raw))) }
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
            [
                "currency", "processors", "ledger", "unexplained difference", "not examined", "suspense",
                "open exceptions",
            ],
            report.balances.map { balance in
                [balance.currency]
                    + [balance.processor, balance.ledger, balance.difference].map { Self.money($0, balance.currency) }
                    + [String(balance.unexamined)]
                    + [balance.suspense, balance.openExceptions].map {
                        report.suspense == nil ? "-" : Self.money($0, balance.currency)
                    }
            },
            rightAligned: [1, 2, 3, 4, 5, 6]
        )
        Terminal.say()
        Terminal.table(
            ["side", "currency", "state", "count", "amount"],
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
                "exceptions", "currency", "< 2 days", "< 8", "< 31", "older", "open", "amount", "no merchant",
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
