/// One step of the ladder that matches lines of statements with the ledger's movements. A match always has equal
/// currencies.
package struct MatchingRule: Sendable, Hashable, Codable {
    /// The rule for several candidates.
    package enum Choice: String, Sendable, Hashable, Codable, CaseIterable {
        /// Pairs the earliest with the earliest, and so on: for keys that name one payment.
        case inOrder = "in-order"
        /// Matches only if each is the only candidate for the other.
        case unique
        /// Matches all that remain under the keys on one side, if their sum equals one on the other side. Either side
        /// can be summed.
        case sum
        /// Matches all movements under the keys, if their sum equals a total whose parts the file does not list.
        case total
    }

    /// The rule name of a line about a chargeback and the payment's own record of it.
    package static let chargeback = "chargeback"
    /// The rule name of a manual match.
    package static let byHand = "by-hand"

    /// Unique within the ladder.
    package var name: String
    /// All keys must be present and equal.
    package var keys: [MatchingKey]
    package var choice: Choice
    /// The largest distance in days between the two; nil for no limit. For keys that name one payment, and for sums, a
    /// value that recurs after more days belongs to another payment.
    package var days: Int?
    /// The allowed difference in minor units if the line's money was converted to another currency; only with `unique`.
    package var tolerance: Int64

    /// True if the rule uses only keys with reused values and has no limit of days: a much later line may be matched
    /// with an earlier payment. Rules that were set before rules had days are unbounded.
    package var isUnbounded: Bool { days == nil && keys.allSatisfy(\.comesAgain) }

    package init(_ name: String, _ keys: [MatchingKey], _ choice: Choice, days: Int? = nil, tolerance: Int64 = 0) {
        self.name = name
        self.keys = keys
        self.choice = choice
        self.days = days
        self.tolerance = tolerance
    }
}

/// The fee a processor is expected to deduct from a sale.
package struct ExpectedFee: Sendable, Hashable, Codable {
    /// The brand as lines name it, compared without case; nil for every brand that no other entry names.
    package var brand: String?
    package var currency: String
    /// Basis points of the gross amount (1/100 of a percent), rounded half up.
    package var basisPoints: Int64
    /// Minor units per sale.
    package var fixed: Int64
    /// The allowed difference of the fee in minor units.
    package var tolerance: Int64

    package init(brand: String? = nil, currency: String, basisPoints: Int64, fixed: Int64 = 0, tolerance: Int64 = 1) {
        self.brand = brand
        self.currency = currency
        self.basisPoints = basisPoints
        self.fixed = fixed
        self.tolerance = tolerance
    }
}

/// The amount above which another operator must approve the resolution of an exception.
package struct ApprovalLimit: Sendable, Hashable, Codable {
    package var currency: String
    /// Minor units that one operator may decide about, 0 or more.
    package var above: Int64

    package init(currency: String, above: Int64) {
        self.currency = currency
        self.above = above
    }
}

/// The rules of a tenant's reconciliation.
package struct MatchingRules: Sendable, Hashable, Codable {
    /// The rules in the order in which they are tried.
    package var ladder: [MatchingRule]
    /// A movement is missing at the processor once the lines of its account reach this many days past it; a payout is
    /// missing at the bank once the bank's lines do.
    package var graceDays: Int
    /// A line is late if it comes more than this many days after its movement.
    package var lateDays: Int
    /// An uncaptured authorization is expired after this many days.
    package var expiryDays: Int
    package var fees: [ExpectedFee]
    /// Without an entry for a currency, every resolution with an amount other than zero needs approval.
    package var approvals: [ApprovalLimit]
    /// The rules that match payouts with transfers on bank accounts, in the order in which they are tried.
    package var deposits: [DepositRule]
    /// Bank accounts on which every transfer is compared with payouts. On other accounts only transfers that share
    /// something with a payout are.
    package var depositAccounts: [String]
    /// An account at a processor whose lines end more than this many days before the newest line of all accounts is not
    /// waited for: its unreported money is missing.
    package var silentDays: Int
    /// The rules that explain lines that are no payments, in the order in which they are tried.
    package var postings: [PostingRule]
    /// When processors send their files and pay out.
    package var calendars: [ProcessorCalendar]
    /// What processors may charge, with which the statement of fees compares.
    package var contracts: [FeeContract]
    /// The types of lines that need no posting rule, contract or match: the account of their type has the money.
    package var explainedTypes: [PostingRule.LineType]

    package init(
        ladder: [MatchingRule] = Self.standardLadder,
        graceDays: Int = 2,
        lateDays: Int = 5,
        expiryDays: Int = 30,
        fees: [ExpectedFee] = [],
        approvals: [ApprovalLimit] = [],
        deposits: [DepositRule] = DepositRule.standardLadder,
        depositAccounts: [String] = [],
        silentDays: Int = Self.standardSilentDays,
        postings: [PostingRule] = [],
        calendars: [ProcessorCalendar] = [],
        contracts: [FeeContract] = [],
        explainedTypes: [PostingRule.LineType] = PostingRule.standardExplainedTypes
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
        self.postings = postings
        self.calendars = calendars
        self.contracts = contracts
        self.explainedTypes = explainedTypes
    }

    package static let standardSilentDays = 7

    /// The largest distance in days between a batch's payments and its total, by the widest rule; nil if a rule has no
    /// limit.
    package var batchDays: Int? {
        let days = ladder.filter { $0.choice == .total }.map(\.days)
        return days.contains(nil) ? nil : days.compactMap(\.self).max()
    }

    /// Decodes stored rules. Members that older rules lack get their standard values.
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
            silentDays: try members.decodeIfPresent(Int.self, forKey: .silentDays) ?? Self.standardSilentDays,
            postings: try members.decodeIfPresent([PostingRule].self, forKey: .postings) ?? [],
            calendars: try members.decodeIfPresent([ProcessorCalendar].self, forKey: .calendars) ?? [],
            contracts: try members.decodeIfPresent([FeeContract].self, forKey: .contracts) ?? [],
            explainedTypes: try members.decodeIfPresent([PostingRule.LineType].self, forKey: .explainedTypes)
                ?? PostingRule.standardExplainedTypes
        )
    }

    /// The number of days after which an id or retrieval reference may belong to another payment. Schemes accept presentments
    /// for a month at most.
    private static let namesLast = 60
    /// The number of days after which a terminal's batch numbers may repeat.
    private static let batchesLast = 14

    package static let standardLadder = [
        MatchingRule("gateway-id", [.gatewayID], .inOrder, days: Self.namesLast),
        MatchingRule("host-id", [.hostID], .inOrder, days: Self.namesLast),
        MatchingRule("vendor-id", [.vendorID], .inOrder, days: Self.namesLast),
        MatchingRule("refund-id", [.relatedID], .inOrder, days: Self.namesLast),
        MatchingRule("rrn", [.rrn], .inOrder, days: Self.namesLast),
        MatchingRule("origin-id", [.originID], .unique),
        MatchingRule("original-id", [.originalID], .inOrder, days: Self.namesLast),
        MatchingRule("auth-code", [.authorizationCode, .lastFour], .unique, days: 1),
        MatchingRule("trace", [.trace, .terminal, .batch], .unique, days: Self.batchesLast),
        MatchingRule("invoice", [.invoice], .unique, days: 7),
        MatchingRule("reference", [.reference], .unique, days: 7),
        MatchingRule("gateway-id-sum", [.gatewayID], .sum, days: Self.namesLast),
        MatchingRule("rrn-sum", [.rrn], .sum, days: Self.namesLast),
        MatchingRule("invoice-sum", [.invoice, .lastFour], .sum, days: Self.namesLast),
        MatchingRule("terminal-batch", [.terminal, .batch], .total, days: Self.batchesLast),
        MatchingRule("merchant-batch", [.merchant, .batch], .total, days: Self.batchesLast),
    ]
}
