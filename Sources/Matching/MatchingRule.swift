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

    /// Unique within the ladder.
    package var name: String
    /// All of them must be there and equal.
    package var keys: [MatchingKey]
    package var choice: Choice
    /// How many days apart the two may be; nil where that does not matter. Not for sums and totals.
    package var days: Int?
    /// How many minor units the two may differ by; only with `unique`.
    package var tolerance: Int64

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

/// How a tenant's ledger is reconciled.
package struct MatchingRules: Sendable, Hashable, Codable {
    /// In the order in which they are tried.
    package var ladder: [MatchingRule]
    /// A movement is missing at the processor once its lines have come this many days further.
    package var graceDays: Int
    /// A line that comes more days after its movement is late.
    package var lateDays: Int
    /// An authorisation that nobody captured has expired after so many days.
    package var expiryDays: Int
    package var fees: [ExpectedFee]

    package init(
        ladder: [MatchingRule] = Self.standardLadder,
        graceDays: Int = 2,
        lateDays: Int = 5,
        expiryDays: Int = 30,
        fees: [ExpectedFee] = []
    ) {
        self.ladder = ladder
        self.graceDays = graceDays
        self.lateDays = lateDays
        self.expiryDays = expiryDays
        self.fees = fees
    }

    package static let standardLadder = [
        MatchingRule("gateway-id", [.gatewayID], .inOrder),
        MatchingRule("host-id", [.hostID], .inOrder),
        MatchingRule("vendor-id", [.vendorID], .inOrder),
        MatchingRule("rrn", [.rrn], .inOrder),
        MatchingRule("origin-id", [.originID], .unique),
        MatchingRule("auth-code", [.authorizationCode, .lastFour], .unique, days: 1),
        MatchingRule("trace", [.trace, .terminal, .batch], .unique),
        MatchingRule("invoice", [.invoice], .unique, days: 7),
        MatchingRule("reference", [.reference], .unique, days: 7),
        MatchingRule("gateway-id-sum", [.gatewayID], .sum),
        MatchingRule("rrn-sum", [.rrn], .sum),
        MatchingRule("invoice-sum", [.invoice, .lastFour], .sum),
        MatchingRule("terminal-batch", [.terminal, .batch], .total),
        MatchingRule("merchant-batch", [.merchant, .batch], .total),
    ]
}
