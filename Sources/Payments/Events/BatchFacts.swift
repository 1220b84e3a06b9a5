package import Canonical

/// The closing of a batch: requested, completed or failed.
package struct BatchClosing: Sendable, Hashable, Codable {
    package var batch: BatchReference
    /// The vendor's id of the settlement.
    package var settlement: String?
    package var response: Response
    /// The host's totals, if it reports them.
    package var totals: HostTotals?
    /// The totals of each application of the terminal, if the batch consists of several.
    package var applications: [ApplicationTotals]?
    /// The evidence of the settlement of the batch's payments, if it is lower than settlement.
    package var evidence: Evidence?
    package var at: ReportedTime?

    /// The evidence of the settlement of the batch's payments.
    package var rankedEvidence: Evidence { evidence ?? .settlement }

    package init(
        batch: BatchReference,
        settlement: String? = nil,
        response: Response,
        totals: HostTotals? = nil,
        applications: [ApplicationTotals]? = nil,
        evidence: Evidence? = nil,
        at: ReportedTime? = nil
    ) {
        self.evidence = evidence
        self.batch = batch
        self.settlement = settlement
        self.response = response
        self.totals = totals
        self.applications = applications
        self.at = at
    }
}

/// A batch is part of another one: documents name the account of that one by another name, which belongs to no other
/// account.
package struct BatchLink: Sendable, Hashable, Codable {
    package var batch: BatchReference
    /// The batch of the same number under the name of the account. The batch itself, if the name has come to belong to
    /// several accounts.
    package var partOf: BatchReference

    package init(_ batch: BatchReference, partOf: BatchReference) {
        self.batch = batch
        self.partOf = partOf
    }
}

/// A line of money of a payment belongs to this generation of the batch number that documents name: the payload of
/// `BatchAssigned`.
package struct BatchAssignment: Sendable, Hashable, Codable {
    /// The name of the line within the payment, such as `capture:sale`.
    package var line: String
    package var batch: BatchReference

    package init(line: String, batch: BatchReference) {
        self.line = line
        self.batch = batch
    }
}

/// The totals of one payment application of a terminal (credit, debit, gift) for its part of a batch.
package struct ApplicationTotals: Sendable, Hashable, Codable {
    /// One total, under the vendor's name for it.
    package struct Total: Sendable, Hashable, Codable {
        package var name: String
        package var amount: Money

        package init(name: String, amount: Money) {
            self.name = name
            self.amount = amount
        }
    }

    package var application: String
    /// The answer of this application's host.
    package var response: Response
    package var count: Int?
    package var amounts: [Total]

    package init(application: String, response: Response = .init(), count: Int? = nil, amounts: [Total] = []) {
        self.application = application
        self.response = response
        self.count = count
        self.amounts = amounts
    }
}

/// The totals of a batch as the host reports them.
package struct HostTotals: Sendable, Hashable, Codable {
    package var count: Int?
    package var sales: Money?
    package var refunds: Money?
    package var net: Money?

    package init(count: Int? = nil, sales: Money? = nil, refunds: Money? = nil, net: Money? = nil) {
        self.count = count
        self.sales = sales
        self.refunds = refunds
        self.net = net
    }
}

/// A difference between the host's totals of a batch and the ledger's.
package struct BatchImbalance: Sendable, Hashable, Codable {
    package var batch: BatchReference
    package var host: HostTotals
    package var ledger: HostTotals

    package init(batch: BatchReference, host: HostTotals, ledger: HostTotals) {
        self.batch = batch
        self.host = host
        self.ledger = ledger
    }
}
