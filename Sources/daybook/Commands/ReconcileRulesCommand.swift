import ArgumentParser
import Canonical
import Composition
import Intake
import Matching
import Operations
import Payments
import Reconciliation

struct ReconcileRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Show the reconciliation rules, or replace them.",
        discussion: """
            Members that a file of rules leaves out have their standard values. --json prints the answer of GET \
            /v1/reconciliation-rules; --set accepts its member `rules`, or all of it. The next run examines everything \
            with the new rules; a server starts it at once. docs/reconciliation-rules.md describes each member.

            EXAMPLES
              daybook reconcile rules
              daybook reconcile rules --json > rules.json
              daybook reconcile rules --set rules.json \\
                --reason 'the acquirer is a day slower'
            """
    )

    @OptionGroup var common: CommonOptions

    @OptionGroup var replacement: ReplacementOptions

    @Option(help: "The rules as of this position of the log.")
    var asOfPosition: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard replacement.file == nil || asOfPosition == nil else {
            throw ValidationError("--as-of-position excludes --set.")
        }
    }

    func run() async throws {
        let asked = try request()
        try await Session.open(common) { session in
            try await session.withLedger(for: asked == nil ? .reading(["reconciliation"]) : .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                guard let asked else {
                    return try show(try await ledger.rules(of: tenant, at: asOfPosition))
                }
                try await ledger.catchUp()
                let outcome: Proposals.Outcome
                do {
                    outcome = try await ledger.reconciliation.rulesCommands.propose(
                        asked.rules,
                        reason: asked.reason,
                        version: asked.version,
                        sender: ledger.sender(tenant),
                        waitLimit: .seconds(60)
                    )
                } catch let problem as IntakeProblem {
                    throw Failure(problem.detail)
                } catch is Reconciler.Refusal {
                    throw Failure("Another reconciliation is running.", hint: "Try again.")
                }
                try await ledger.catchUp()
                try await ProposalText.show(outcome.proposal, of: tenant, in: ledger, common)
            }
        }
    }

    /// The request in a file of rules; nil to show the rules.
    private func request() throws -> RulesRequest? {
        guard let body = try replacement.body("rules") else { return nil }
        do {
            return try RulesRequest(.object(body))
        } catch let problem as RulesProblem {
            let place = problem.pointer.isEmpty ? replacement.file ?? "" : problem.pointer
            throw Failure("\(place): \(problem.detail)", exitCode: 64)
        } catch let problem as IntakeProblem {
            throw Failure(problem.detail, exitCode: 64)
        }
    }

    private func show(_ item: RulesJSON) throws {
        guard !common.json else { return try Terminal.say(json: item) }
        let rules = item.rules
        if let by = item.changedBy, let at = item.changedAt, let reason = item.reason {
            Terminal.say("version \(item.version), by \(by) at \(at.rfc3339): \(reason)")
        } else {
            Terminal.say("standard rules")
        }
        Terminal.say(
            "\(rules.graceDays, "day") of grace, at most \(rules.silentDays) more for an account without new lines; late after "
                + "\(rules.lateDays), authorizations expired after \(rules.expiryDays)"
        )
        let explained = rules.explainedTypes.map(\.rawValue).joined(separator: ", ")
        Terminal.say("Lines explained by their type: \(explained.isEmpty ? "none" : explained)")
        Terminal.say()
        Terminal.table(
            ["rule", "keys", "choice", "days", "tolerance"],
            rules.ladder.map { rule in
                [
                    rule.name, rule.keys.map(\.rawValue).joined(separator: " "), rule.choice.rawValue,
                    rule.days.map(String.init) ?? "-", String(rule.tolerance),
                ]
            },
            rightAligned: [3, 4]
        )
        for remark in rules.remarks { Terminal.note("\(remark.rule): \(remark.code.detail)") }
        Terminal.say()
        Terminal.table(
            ["rule of deposits", "keys", "choice", "days"],
            rules.deposits.map { rule in
                [
                    rule.name, rule.keys.map(\.rawValue).joined(separator: " "), rule.choice.rawValue,
                    rule.days.map(String.init) ?? "-",
                ]
            },
            rightAligned: [3]
        )
        if !rules.fees.isEmpty {
            Terminal.say()
            Terminal.table(
                ["fee of", "currency", "basis points", "fixed", "tolerance"],
                rules.fees.map { fee in
                    [
                        fee.brand ?? "every other brand", fee.currency, String(fee.basisPoints),
                        Self.money(fee.fixed, fee.currency), Self.money(fee.tolerance, fee.currency),
                    ]
                },
                rightAligned: [2, 3, 4]
            )
        }
        if !rules.postings.isEmpty {
            Terminal.say()
            Terminal.table(
                ["posting rule", "type", "in the file", "format", "account"],
                rules.postings.map { rule in
                    [
                        rule.name, rule.type.rawValue, rule.rawType ?? "any", rule.format ?? "any",
                        ([rule.account.rawValue] + [rule.part].compactMap(\.self)).joined(separator: "/"),
                    ]
                }
            )
        }
        if !rules.calendars.isEmpty {
            Terminal.say()
            Terminal.table(
                ["calendar of", "merchant", "vendors", "begins", "file expected", "cut-off", "zone", "deposit"],
                rules.calendars.map { calendar in
                    [
                        calendar.processor, calendar.merchant ?? "all",
                        calendar.vendors.map(\.rawValue).joined(separator: " "), calendar.begins,
                        "+\(calendar.expectedDays) \(calendar.expectedAt)", calendar.cutoff ?? "-", calendar.zone,
                        "T+\(calendar.depositDays)",
                    ]
                }
            )
        }
        if !rules.contracts.isEmpty {
            Terminal.say()
            Terminal.table(
                ["contract with", "merchant", "brand", "component", "currency", "begins", "1/100 bp", "fixed"],
                rules.contracts.map { contract in
                    [
                        contract.processor, contract.merchant ?? "every other", contract.brand ?? "every other",
                        contract.component, contract.currency, contract.begins, String(contract.basisPointHundredths),
                        Self.money(contract.fixed, contract.currency),
                    ]
                },
                rightAligned: [6, 7]
            )
        }
        Terminal.say()
        if rules.approvals.isEmpty {
            Terminal.say("every resolution that moves money needs an approver")
        } else {
            Terminal.table(
                ["approval needed", "above"],
                rules.approvals.map { [$0.currency, Self.money($0.above, $0.currency)] } + [["other currencies", "0"]],
                rightAligned: [1]
            )
        }
        if !rules.depositAccounts.isEmpty {
            Terminal.say("every transfer is compared on \(rules.depositAccounts.joined(separator: ", "))")
        }
    }

    private static func money(_ value: Int64, _ currency: String) -> String {
        Currency(alpha: currency).map { Money(value, $0).decimalText } ?? String(value)
    }
}
