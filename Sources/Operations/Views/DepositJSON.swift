package import Canonical
package import Matching
package import Payments
import Projections
package import Reconciliation
package import Statements

/// A payout of a processor, or a line of a bank account.
package struct ProofTransferJSON: Codable, Sendable, Hashable {
    package var line: UUID128
    package var statement: UUID128
    package var type: LineType
    package var amount: Money?
    package var day: String?
    package var reference: String?
    package var merchant: String?
    package var account: String?

    package init(_ transfer: ProofTransfer) throws {
        line = transfer.line
        statement = transfer.statement
        type = try LineType(stored: transfer.type)
        amount = try .stored(transfer.amount, transfer.currency)
        day = transfer.day
        reference = transfer.reference
        merchant = transfer.merchant
        account = transfer.account
    }
}

/// A transfer with its state.
package typealias TransferJSON = Joined<ProofTransferJSON, TransferStateJSON>

package struct TransferStateJSON: Codable, Sendable, Hashable {
    package var side: DepositCoverage.Side
    package var state: DepositCoverage.State
    package var currency: Currency
    package var position: Int64
}

extension TransferJSON {
    package init(_ view: TransferView) throws {
        self.init(
            try ProofTransferJSON(view.transfer),
            TransferStateJSON(
                side: view.side,
                state: view.state,
                currency: try Currency(stored: view.transfer.currency),
                position: view.position
            )
        )
    }
}

/// The number and sum of payouts or transfers in one state and currency.
package struct DepositCoverageJSON: Codable, Sendable, Hashable {
    package var side: DepositCoverage.Side
    package var state: DepositCoverage.State
    package var currency: Currency
    package var count: Int64
    package var amount: Money?

    package init(_ coverage: DepositCoverage) throws {
        side = coverage.side
        state = coverage.state
        currency = try Currency(stored: coverage.currency)
        count = coverage.count
        amount = coverage.amount.map { [currency] in Money($0, currency) }
    }
}

/// A deposit with the payouts that explain it, and the lines that each payout pays.
package struct DepositProofJSON: Codable, Sendable, Hashable {
    package struct Settlement: Codable, Sendable, Hashable {
        package var basis: ProofSettlement.Basis
        package var reference: String?
        package var payouts: [UUID128]
        package var paid: Money?
        package var buckets: [Sum]
        package var lines: Int64
        package var sum: Money?
        package var difference: Money?
    }

    package struct Sum: Codable, Sendable, Hashable {
        package var bucket: ProofBucket
        package var count: Int64
        package var amount: Money?
    }

    package var foots: Bool
    package var currency: Currency
    package var rule: String?
    package var match: UUID128?
    package var deposits: [ProofTransferJSON]
    package var payouts: [ProofTransferJSON]
    package var deposited: Money?
    package var paid: Money?
    package var difference: Money?
    package var settlements: [Settlement]

    package init(_ proof: DepositProof) throws {
        foots = proof.foots
        currency = try Currency(stored: proof.currency)
        rule = proof.rule
        match = proof.match
        deposits = try proof.deposits.map(ProofTransferJSON.init)
        payouts = try proof.payouts.map(ProofTransferJSON.init)
        deposited = try .stored(proof.deposited, proof.currency)
        paid = try .stored(proof.paid, proof.currency)
        difference = try .stored(proof.difference, proof.currency)
        settlements = try proof.settlements.map(Settlement.init)
    }
}

extension DepositProofJSON.Settlement {
    fileprivate init(_ settlement: ProofSettlement) throws {
        let currency = try Currency(stored: settlement.currency)
        func money(_ value: Int64?) -> Money? { value.map { Money($0, currency) } }
        basis = settlement.basis
        reference = settlement.reference
        payouts = settlement.payouts
        paid = money(settlement.paid)
        buckets = settlement.buckets.map { .init(bucket: $0.bucket, count: $0.count, amount: money($0.amount)) }
        lines = settlement.lines
        sum = money(settlement.sum)
        difference = money(settlement.difference)
    }
}

/// A line that a payout pays, with its explanations.
package struct PaidLineJSON: Codable, Sendable, Hashable {
    package struct Explanation: Codable, Sendable, Hashable {
        package var transaction: UUID128
        package var movement: String
        package var rule: String
        package var match: UUID128
    }

    package struct OpenException: Codable, Sendable, Hashable {
        package var id: UUID128
        package var `class`: ExceptionClass
    }

    package var line: UUID128
    package var statement: UUID128
    package var type: LineType
    package var role: LineRole
    package var bucket: ProofBucket
    package var gross: Money?
    package var fees: Money?
    package var amount: Money?
    package var day: String?
    package var processorID: String?
    package var explanations: [Explanation]
    package var exceptions: [OpenException]

    package init(_ line: ProofLine) throws {
        self.line = line.line
        statement = line.statement
        type = try LineType(stored: line.type)
        role = try LineRole(stored: line.role)
        bucket = line.bucket
        gross = try .stored(line.gross, line.currency)
        fees = try .stored(line.fees, line.currency)
        amount = try .stored(line.amount, line.currency)
        day = line.day
        processorID = line.processorID
        explanations = line.explanations.map {
            Explanation(transaction: $0.transaction, movement: $0.movement, rule: $0.rule, match: $0.match)
        }
        exceptions = try line.questions.map {
            OpenException(id: $0.id, class: try ExceptionClass(stored: $0.exceptionClass))
        }
    }
}
