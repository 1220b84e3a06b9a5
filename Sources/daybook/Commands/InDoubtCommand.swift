import ArgumentParser
import Canonical
import DaybookAPI
import Ledger
import Payments
import Projections

struct InDoubtCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "in-doubt",
        abstract: "List payments whose outcome nobody can say yet, the oldest first, with what is at stake.",
        discussion: """
            --json prints what GET /v1/in-doubt answers.

            EXAMPLES
              daybook in-doubt
              daybook in-doubt --merchant 8846 --json | jq '.totals'
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Only what this vendor's SDK told.")
    var vendor: String?

    @Option(help: "Only this merchant's.")
    var merchant: String?

    @Option(help: "Only this terminal's.")
    var terminal: String?

    @Option(help: "How many, 1 to 1000.")
    var limit = 100

    @Option(name: .customLong("tenant"), help: "The tenant; may be left out when there is one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        var filter = DoubtQuery.Filter()
        filter.vendor = try vendor.map(Vendor.init(named:))
        filter.merchant = merchant
        filter.terminal = terminal
        try await Session.open(common) { [filter] session in
            // The read model may be behind when no server runs: this command follows the log itself.
            try await session.withLedger(follows: true) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                try await ledger.catchUp()
                let found = try await ledger.doubts.payments(of: tenant, matching: filter, limit: limit + 1)
                let risk: [ValueAtRisk]
                do {
                    risk = try await ledger.doubts.risk(of: tenant, matching: filter)
                } catch TotalsError.overflow {
                    throw Failure("What is at stake does not fit 64 bits.", hint: "Ask for one merchant.")
                }
                show(Array(found.prefix(limit)), risk, at: ledger.clock.now(), hasMore: found.count > limit)
            }
        }
    }

    private func show(_ payments: [PaymentInDoubt], _ risk: [ValueAtRisk], at now: Timestamp, hasMore: Bool) {
        if common.json {
            Terminal.say([
                "totals": .array(risk.map(\.json)), "items": .array(payments.map { $0.json(at: now) }),
                "more": .bool(hasMore),
            ])
        } else if payments.isEmpty {
            Terminal.say("nothing is in doubt")
        } else {
            Terminal.table(
                ["transaction", "since (UTC)", "age", "status", "merchant", "terminal", "at stake"],
                payments.map { payment in
                    [
                        payment.transaction.text, payment.occurredAt.rfc3339,
                        Self.age(now.microseconds(since: payment.occurredAt) / 1_000_000), payment.status.rawValue,
                        payment.merchant ?? "-", payment.terminal ?? "-", payment.value?.description ?? "-",
                    ]
                },
                rightAligned: [2, 6]
            )
            for one in risk { Terminal.note("\(one.count) in doubt: \(Money(one.value, one.currency))") }
        }
        if hasMore { Terminal.note("There are more: give a larger --limit, or a filter.") }
    }

    /// `3 d`, `5 h`, `12 min`; a device's clock may be ahead.
    private static func age(_ seconds: Int64) -> String {
        switch max(0, seconds) {
        case let seconds where seconds >= 172_800: "\(seconds / 86_400) d"
        case let seconds where seconds >= 7_200: "\(seconds / 3_600) h"
        case let seconds: "\(seconds / 60) min"
        }
    }
}
