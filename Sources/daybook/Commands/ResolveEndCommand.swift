import ArgumentParser
import Canonical
import Composition
import Intake
import Operations
import Payments
import Projections
import Replay

struct ResolveEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Propose the outcome of a payment, with an operator's evidence.",
        discussion: """
            For payments that no gateway can be queried about, or that answers do not resolve. Another operator \
            approves the outcome with `daybook proposals approve`. It is recorded permanently with both names. Later \
            contradicting evidence is recorded and raises an anomaly. not-posted: the payment never reached the host \
            that decides. reversed: it took effect, and was reversed since.

            EXAMPLES
              daybook resolve end 0198c5f2-... --as declined \\
                --evidence 'the portal: declined, 51' --reason 'terminal is lost'
              daybook resolve end 0198c5f2-... --as approved --amount 12.50 --currency USD \\
                --evidence 'statement of 3 March, line 14' --reason 'the processor paid it'
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the payment.")
    var id: String

    @Option(name: .customLong("as"), help: "The outcome: approved, declined, not-posted or reversed.")
    var outcome: String

    @Option(help: "The evidence and its source, which are recorded.")
    var evidence: String

    @Option(help: "The reason, which is recorded.")
    var reason: String

    @Option(help: "The approved amount, if it differs from the requested one: 12.50.")
    var amount: String?

    @Option(help: "The currency of --amount.")
    var currency: String?

    @Option(help: "The expected version of the payment's stream.")
    var expectedVersion: Int64?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func run() async throws {
        guard let payment = UUID128(id) else { throw DoubtText.unknown }
        let ending = try self.ending()
        try await Session.open(common) { session in
            try await session.withLedger(for: .applying) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                let outcome: Proposals.Outcome
                do {
                    outcome = try await ledger.replay.doubts.propose(
                        payment,
                        ending,
                        version: expectedVersion,
                        idempotencyKey: nil,
                        sender: ledger.sender(tenant)
                    )
                } catch let refusal as DoubtCommands.Refusal {
                    throw Failure(refusal)
                } catch let problem as IntakeProblem {
                    throw Failure(problem.detail)
                }
                try await ledger.catchUp()
                try await ProposalText.show(outcome.proposal, of: tenant, in: ledger, common)
            }
        }
    }

    private func ending() throws -> DoubtEnding {
        guard let outcome = DoubtEnding.Outcome(rawValue: outcome) else {
            throw Failure.usage("--as must be approved, declined, not-posted or reversed.")
        }
        let evidence = try Failure.checking { () throws(IntakeProblem) in try EndDoubt.evidence(self.evidence) }
        let reason = try Failure.reason(self.reason)
        var money: Money?
        switch (amount, currency) {
        case (nil, nil): break
        case (let amount?, let code?):
            guard let known = Currency(alpha: code), let read = try? Money.parse(decimal: amount, currency: known),
                read.value > 0
            else {
                throw Failure.usage("--amount must be above zero, with the decimals of its --currency: 12.50 USD.")
            }
            money = read
        default: throw Failure.usage("--amount and --currency need each other.")
        }
        return DoubtEnding(outcome, evidence: evidence, reason: reason, amount: money)
    }
}

extension Failure {
    /// Why a doubt was not ended.
    init(_ refusal: DoubtCommands.Refusal) {
        switch refusal {
        case .noSuchPayment: self = DoubtText.unknown
        case .amountMissing: self.init(Operations.Refusal(refusal), hint: "Give --amount and --currency.")
        case .nothingInDoubt, .callUnderWay, .amountImpossible, .endImpossible: self.init(Operations.Refusal(refusal))
        }
    }
}
