/// One step of the ladder by which lines of statements are matched with the ledger's movements. Currency is always equal.
package struct MatchingRule: Sendable, Hashable, Codable {
    /// What is done where several fit.
    package enum Choice: String, Sendable, Hashable, Codable, CaseIterable {
        /// The earliest goes with the earliest, and so on: for keys that name one payment.
        case inOrder = "in-order"
        /// Nothing, unless each is the only one that fits the other.
        case unique
        /// All that is left under the keys on one side, if it comes to one of the other side, or the other way round.
        case sum
        /// All movements under the keys, if they come to a total of which the file lists no parts.
        case total
    }

    /// In the place of a rule's name where people have said what belongs together.
    package static let byHand = "by-hand"

    /// Unique within the ladder.
    package var name: String
    /// All of them must be there and equal.
    package var keys: [MatchingKey]
    package var choice: Choice
    /// How many days apart the two may be; nil where that does not matter. Where keys name one payment, and for sums, what
    /// comes again after longer than that is another one.
    package var days: Int?
    /// How many minor units the two may differ by where the line's money was converted; only with `unique`.
    package var tolerance: Int64

    /// Whether the rule goes by names that come again, and says nothing of how far apart they may be: what is told under one
    /// long after may be taken for the payment of before. Rules that were set before rules had days are so.
    package var isUnbounded: Bool { days == nil && keys.allSatisfy(\.comesAgain) }

    package init(_ name: String, _ keys: [MatchingKey], _ choice: Choice, days: Int? = nil, tolerance: Int64 = 0) {
        self.name = name
        self.keys = keys
        self.choice = choice
        self.days = days
        self.tolerance = tolerance
    }
}

/// What a processor is expected to keep of a sale.
package struct ExpectedFee: Sendable, Hashable, Codable {
    /// As lines name it, in any case; nil for every brand that no other entry names.
    package var brand: String?
    package var currency: String
    /// Hundredths of a percent of the gross amount, rounded half up.
    package var basisPoints: Int64
    /// Minor units for each sale.
    package var fixed: Int64
    /// By how many minor units the fee may differ.
    package var tolerance: Int64

    package init(brand: String? = nil, currency: String, basisPoints: Int64, fixed: Int64 = 0, tolerance: Int64 = 1) {
        self.brand = brand
        self.currency = currency
        self.basisPoints = basisPoints
        self.fixed = fixed
        self.tolerance = tolerance
    }
}

/// Above which amount another person has to approve how an exception ends.
package struct ApprovalLimit: Sendable, Hashable, Codable {
    package var currency: String
    /// Minor units that one person may decide about, 0 or more.
    package var above: Int64

    package init(currency: String, above: Int64) {
        self.currency = currency
        self.above = above
    }
}

/// How a tenant's ledger is reconciled.
package struct MatchingRules: Sendable, Hashable, Codable {
    /// In the order in which they are tried.
    package var ladder: [MatchingRule]
    /// A movement is missing at the processor once the lines of its account have come this many days further; a payout at
    /// the bank once the bank's have.
    package var graceDays: Int
    /// A line that comes more days after its movement is late.
    package var lateDays: Int
    /// An authorisation that nobody captured has expired after so many days.
    package var expiryDays: Int
    package var fees: [ExpectedFee]
    /// In other currencies everything that moves money needs another person.
    package var approvals: [ApprovalLimit]
    /// By which payouts are matched with transfers on bank accounts, in the order in which they are tried.
    package var deposits: [DepositRule]
    /// Bank accounts on which every transfer is compared with payouts; on others those that have to do with any.
    package var depositAccounts: [String]
    /// An account at a processor that is more than so many days behind the newest line of all is not waited for: what it
    /// has not told by then is missing.
    package var silentDays: Int

    package init(
        ladder: [MatchingRule] = Self.standardLadder,
        graceDays: Int = 2,
        lateDays: Int = 5,
        expiryDays: Int = 30,
        fees: [ExpectedFee] = [],
        approvals: [ApprovalLimit] = [],
        deposits: [DepositRule] = DepositRule.standardLadder,
        depositAccounts: [String] = [],
        silentDays: Int = Self.standardSilentDays
    ) {
        self.ladder = ladder
        self.graceDays = graceDays
        self.lateDays = lateDays
        self.expiryDays = expiryDays
        self.fees = fees
        self.approvals = approvals
        self.deposits = deposits
        self.depositAccounts = depositAccounts
        self.silentDays = silentDays
    }

    package static let standardSilentDays = 7

    /// How far a batch's payments may be from its total, by the widest rule; nil where any of them does not say.
    package var batchDays: Int? {
        let days = ladder.filter { $0.choice == .total }.map(\.days)
        return days.contains(nil) ? nil : days.compactMap(\.self).max()
    }

    /// What rules that were told before do not say is as it is standard.
    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            ladder: try members.decode([MatchingRule].self, forKey: .ladder),
            graceDays: try members.decode(Int.self, forKey: .graceDays),
            lateDays: try members.decode(Int.self, forKey: .lateDays),
            expiryDays: try members.decode(Int.self, forKey: .expiryDays),
            fees: try members.decode([ExpectedFee].self, forKey: .fees),
            approvals: try members.decodeIfPresent([ApprovalLimit].self, forKey: .approvals) ?? [],
            deposits: try members.decodeIfPresent([DepositRule].self, forKey: .deposits) ?? DepositRule.standardLadder,
            depositAccounts: try members.decodeIfPresent([String].self, forKey: .depositAccounts) ?? [],
            silentDays: try members.decodeIfPresent(Int.self, forKey: .silentDays) ?? Self.standardSilentDays
        )
    }

    /// After so many days a retrieval reference may be another payment's. Schemes take presentments for a month at the most.
    private static let namesLast = 60
    /// After so many days a terminal may have counted its batches through.
    private static let batchesLast = 14

    package static let standardLadder = [
        MatchingRule("gateway-id", [.gatewayID], .inOrder),
        MatchingRule("host-id", [.hostID], .inOrder),
        MatchingRule("vendor-id", [.vendorID], .inOrder),
        MatchingRule("refund-id", [.relatedID], .inOrder),
        MatchingRule("rrn", [.rrn], .inOrder, days: Self.namesLast),
        MatchingRule("origin-id", [.originID], .unique),
        MatchingRule("original-id", [.originalID], .inOrder),
        MatchingRule("auth-code", [.authorizationCode, .lastFour], .unique, days: 1),
        MatchingRule("trace", [.trace, .terminal, .batch], .unique, days: Self.batchesLast),
        MatchingRule("invoice", [.invoice], .unique, days: 7),
        MatchingRule("reference", [.reference], .unique, days: 7),
        MatchingRule("gateway-id-sum", [.gatewayID], .sum),
        MatchingRule("rrn-sum", [.rrn], .sum, days: Self.namesLast),
        MatchingRule("invoice-sum", [.invoice, .lastFour], .sum, days: Self.namesLast),
        MatchingRule("terminal-batch", [.terminal, .batch], .total, days: Self.batchesLast),
        MatchingRule("merchant-batch", [.merchant, .batch], .total, days: Self.batchesLast),
    ]
}
