import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections

struct DayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "day",
        abstract: "Show a business day: the payments that began on it, doubts and open anomalies.",
        discussion: """
            The default is today. --json prints the answer of GET /v1/days/{day}.

            EXAMPLES
              daybook day
              daybook day 2026-03-01 --zone Europe/Berlin --cutoff 04:00
              daybook day 2026-03-01 --merchant 8846 --json | jq '.items'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The business day, such as 2026-03-01. Default: today.")
    var day: String?

    @Option(help: "The zone of the business day, such as Europe/Berlin or +01:00.")
    var zone: String?

    @Option(help: "The time at which the business day begins, such as 04:00.")
    var cutoff: String?

    @Option(help: "Only this merchant.")
    var merchant: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        let asked = try BusinessDayRequest(zone: zone, cutoff: cutoff)
        try await Session.open(common) { session in
            try await session.withLedger(for: .reading(["transactions", "merchants", "anomalies"])) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let days = try await ledger.days(asked, merchant: merchant, of: tenant)
                let day = day ?? days.day(of: ledger.clock.now())
                guard let found = try await ledger.day(day, of: tenant, days, merchant: merchant) else {
                    throw Failure("A day has a form such as 2026-03-01.", exitCode: 64)
                }
                if common.json { try Terminal.say(json: DayJSON(found)) } else { Self.show(found) }
            }
        }
    }

    private static func show(_ found: DayAnswer) {
        let summary = found.summary
        if summary.lines.isEmpty {
            Terminal.say("no payment began on \(found.day)")
        } else {
            Terminal.table(
                ["currency", "status", "payments", "amount"],
                summary.lines.map { line in
                    let money = line.currency.flatMap { Currency(alpha: $0) }.map { Money(line.amount, $0).description }
                    return [line.currency ?? "-", line.status, "\(line.count)", money ?? "-"]
                },
                rightAligned: [2, 3]
            )
        }
        func counted(_ attention: DaySummary.Attention) -> String {
            "\(attention.count)" + (attention.hasMore ? " or more" : "")
        }
        Terminal.say()
        Terminal.say("in doubt, all days        \(counted(summary.inDoubt))")
        Terminal.say("open anomalies, all days  \(counted(summary.openAnomalies))")
        let span = "from \(found.start.rfc3339) to \(found.end.rfc3339)"
        Terminal.note("\(found.day) begins at \(found.days.cutoff) in the zone \(found.days.zone.name): \(span).")
    }
}

extension BusinessDayRequest {
    /// - Throws: `Failure`.
    init(zone: String?, cutoff: String?) throws {
        self.init(zone: zone.flatMap { Zone($0) }, cutoffMinutes: cutoff.flatMap { BusinessDay.minutes($0[...]) })
        guard (self.zone == nil) == (zone == nil), (cutoffMinutes == nil) == (cutoff == nil) else {
            throw Failure.usage("--zone has a form such as Europe/Berlin, UTC or +01:00, and --cutoff such as 04:00.")
        }
    }
}
