package import Canonical
package import Payments

/// The parameters of a simulation. The same plan gives the same bytes.
package struct SimulationPlan: Sendable, Hashable {
    package var seed: UInt64
    package var merchants: Int
    /// In total, distributed over the merchants.
    package var terminals: Int
    /// In total, distributed over days and terminals.
    package var transactions: Int
    package var days: Int
    package var faults: FaultProfile
    /// The discrepancies between the ledger and the statements.
    package var discrepancies: DiscrepancyProfile
    /// Midnight in UTC of the first day.
    package var firstDay: Timestamp
    /// The vendors of the simulated SDKs; merchants use them in turn.
    package var vendors: [Vendor]
    /// The zones of the merchants, which use them in turn, by the names of the time zone database. Terminals print local
    /// time. Empty: UTC.
    package var zones: [String]
    /// What the vendors' documents make possible beside faults.
    package var troubles: TroubleProfile

    /// Seven zones: on both sides of UTC, with quarters of an hour, with and without changes of the clock.
    package static let sevenZones = [
        "America/New_York", "Asia/Tokyo", "Asia/Kathmandu", "Europe/London", "Pacific/Auckland", "America/Sao_Paulo",
        "Australia/Adelaide",
    ]

    /// Monday, 3 March 2025.
    package static let defaultFirstDay = Timestamp(microsecondsSince1970: 1_740_960_000_000_000)

    /// - Throws: `InvalidPlan`.
    package init(
        seed: UInt64,
        merchants: Int,
        terminals: Int,
        transactions: Int,
        days: Int,
        faults: FaultProfile = .none,
        firstDay: Timestamp = defaultFirstDay,
        vendors: [Vendor] = VirtualSDKs.vendors,
        discrepancies: DiscrepancyProfile = .none,
        zones: [String] = [],
        troubles: TroubleProfile = .none
    ) throws(InvalidPlan) {
        guard (1...10_000).contains(merchants) else { throw InvalidPlan("merchants: 1 to 10000") }
        guard (merchants...100_000).contains(terminals) else {
            throw InvalidPlan("terminals: at least one for each merchant, at most 100000")
        }
        guard (1...999_999).contains(transactions) else { throw InvalidPlan("transactions: 1 to 999999") }
        guard (1...366).contains(days) else { throw InvalidPlan("days: 1 to 366") }
        guard !vendors.isEmpty, Set(vendors).count == vendors.count else {
            throw InvalidPlan("vendors: at least one, each once")
        }
        self.seed = seed
        self.merchants = merchants
        self.terminals = terminals
        self.transactions = transactions
        self.days = days
        self.faults = faults
        self.firstDay = firstDay
        self.vendors = vendors
        self.discrepancies = discrepancies
        self.zones = zones
        self.troubles = troubles
    }

    /// The prefix of all names in this plan, so that two simulations in one ledger share no payment: six digits that
    /// depend on the whole plan.
    package var tag: String {
        let words =
            [
                "\(merchants)", "\(terminals)", "\(transactions)", "\(days)", faults.text,
                "\(firstDay.microsecondsSince1970)", vendors.map(\.rawValue).joined(separator: ","),
            ]
            + [
                discrepancies.reportedText, zones.joined(separator: ","), troubles == .none ? "" : troubles.text,
            ].filter { !$0.isEmpty }
        var random = SeededRandom(seed: seed).fork(words.joined(separator: ";"))
        return random.digits(6)
    }
}

/// The reason why a plan is invalid.
package struct InvalidPlan: Error, Hashable {
    package var explanation: String

    init(_ explanation: String) { self.explanation = explanation }
}
