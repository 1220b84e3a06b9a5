import ArgumentParser
import Canonical
import Composition
import Operations
import Payments
import Projections
import Reconciliation
import Statements

struct ReconcileDepositsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deposits",
        abstract: "List payouts and transfers, or prove one to the cent.",
        discussion: """
            With an id, shows the transfer, the payouts that explain it, and the lines paid by each payout, in buckets \
            that add up to it. Exit code 2: it does not add up, or a part of it is unknown. --json prints the answer \
            of GET /v1/deposits, and with an id the answer of GET /v1/deposits/{id}. `daybook list paid-lines \
            payout=ID` lists the lines of a payout.

            EXAMPLES
              daybook reconcile deposits --state unmatched
              daybook reconcile deposits 7e0b0cde-...
            """
    )

    @OptionGroup var common: CommonOptions

    @Argument(help: "The id of the line of a payout or transfer.")
    var id: String?

    @Option(help: "Only this side: processor or bank.")
    var side: DepositCoverage.Side?

    @Option(help: "Only this state: matched, unmatched, awaited, left-out or no-transfer.")
    var state: DepositCoverage.State?

    @Option(help: "The maximum number of items, 1 to 1000.")
    var limit = 100

    @Option(help: "The cursor to continue from: `next` of an earlier answer.")
    var cursor: String?

    @Option(name: .customLong("tenant"), help: "The tenant. Optional when there is only one.")
    var tenantName: String?

    func validate() throws {
        guard (1...1000).contains(limit) else { throw ValidationError("--limit must be 1 to 1000.") }
    }

    func run() async throws {
        var filter = TransferFilter()
        filter.side = side
        filter.state = state
        let asked = filter
        let isClean = try await Session.open(common) { session in
            try await session.withLedger(for: .reading(Lists.deposits.readModels)) { ledger in
                let tenant = try await ledger.tenant(tenantName)
                if let id { return try await prove(id, of: tenant, in: ledger) }
                try await ledger.say(
                    Lists.deposits.request(asked),
                    of: tenant,
                    after: cursor,
                    limit: limit,
                    asJSON: common.json,
                    nothing: "no payouts and no transfers"
                ) { (items: [TransferJSON]) in
                    Self.show(items.map { ($0.first, $0.state) })
                }
                return true
            }
        }
        if !isClean { throw ExitCode(2) }
    }

    private func prove(_ id: String, of tenant: String, in ledger: Ledger) async throws -> Bool {
        guard let line = UUID128(id),
            let proof = try await ledger.reconciliation.deposits.proof(of: line, tenant: tenant)
        else {
            throw Failure("There is no such payout or deposit.", hint: "`daybook reconcile deposits` lists them.")
        }
        let item = try DepositProofJSON(proof)
        if common.json {
            try Terminal.say(json: item)
            return item.foots
        }
        Self.show((item.deposits + item.payouts).map { ($0, nil) })
        Terminal.say()
        Terminal.table(
            ["", "amount"],
            [("deposited", item.deposited), ("paid", item.paid), ("difference", item.difference)].map { label, money in
                [label, money?.description ?? "-"]
            },
            rightAligned: [1]
        )
        for settlement in item.settlements {
            Terminal.say()
            Terminal.table(
                ["paid by \(settlement.basis.rawValue) \(settlement.reference ?? "")", "lines", "amount"],
                settlement.buckets.map { [$0.bucket.rawValue, "\($0.count)", $0.amount?.description ?? "-"] } + [
                    ["sum", "", settlement.sum?.description ?? "-"],
                    ["difference to the payout", "", settlement.difference?.description ?? "-"],
                ],
                rightAligned: [1, 2]
            )
        }
        return item.foots
    }

    private static func show(_ transfers: [(ProofTransferJSON, DepositCoverage.State?)]) {
        Terminal.table(
            ["line", "type", "state", "day", "reference", "amount"],
            transfers.map { transfer, state in
                [
                    transfer.line.text, transfer.type.rawValue, state?.rawValue ?? "-", transfer.day ?? "-",
                    transfer.reference ?? "-", transfer.amount?.description ?? "-",
                ]
            },
            rightAligned: [5]
        )
    }
}

extension DepositCoverage.Side: ExpressibleByArgument {}
extension DepositCoverage.State: ExpressibleByArgument {}
