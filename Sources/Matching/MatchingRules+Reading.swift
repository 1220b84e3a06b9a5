package import Canonical
import Payments

extension MatchingRules {
    /// The names of the members, in the order in which they are written.
    private static let members = [
        "ladder", "graceDays", "lateDays", "expiryDays", "fees", "approvals", "deposits", "depositAccounts",
        "silentDays", "postings", "calendars", "contracts", "explainedTypes",
    ]
    private static let longestLadder = 64
    private static let mostEntries = 1000
    /// Minor units: far above any fee or limit, and far below the limit of 64 bits.
    private static let highestAmount: Int64 = 1_000_000_000_000_000

    /// Reads submitted rules. Omitted members get their standard values.
    ///
    /// - Throws: `RulesProblem` for the first problem found.
    package init(reading json: JSONValue) throws(RulesProblem) {
        let reported = try SubmittedRules(value: json, pointer: "").members(Self.members)
        self.init()
        if let member = reported["ladder"] {
            ladder = try Self.unique(member) { one throws(RulesProblem) in try MatchingRule(one) }
            guard !ladder.isEmpty else { throw member.wrong(.noRules, "Without a rule nothing would be matched.") }
        }
        graceDays = try reported.days("graceDays") ?? graceDays
        lateDays = try reported.days("lateDays") ?? lateDays
        expiryDays = try reported.days("expiryDays", in: 1...3660) ?? expiryDays
        silentDays = try reported.days("silentDays") ?? silentDays
        if let member = reported["deposits"] {
            deposits = try Self.unique(member) { one throws(RulesProblem) in try DepositRule(one) }
        }
        if let member = reported["postings"] {
            postings = try Self.unique(member) { one throws(RulesProblem) in try PostingRule(one) }
        }
        calendars = try ProcessorCalendar.calendars(reported["calendars"]?.list(atMost: Self.longestLadder) ?? [])
        for one in try reported["fees"]?.list(atMost: Self.mostEntries) ?? [] {
            let fee = try ExpectedFee(one, Self.highestAmount)
            guard
                !fees.contains(where: {
                    $0.currency == fee.currency && $0.brand?.lowercased() == fee.brand?.lowercased()
                })
            else { throw one.wrong(.repeatedEntry, "An entry before is about the same brand and currency.") }
            fees.append(fee)
        }
        for one in try reported["contracts"]?.list(atMost: Self.mostEntries) ?? [] {
            let contract = try FeeContract(one, Self.highestAmount)
            guard !contracts.contains(where: contract.isAboutTheSame) else {
                throw one.wrong(.repeatedEntry, "An entry before is about the same fees and begins on the same day.")
            }
            contracts.append(contract)
        }
        for one in try reported["approvals"]?.list(atMost: Self.mostEntries) ?? [] {
            let members = try one.members(["currency", "above"])
            let limit = ApprovalLimit(
                currency: try members.needed("currency").currency(),
                above: try members.needed("above").integer(in: 0...Self.highestAmount, .amount)
            )
            guard !approvals.contains(where: { $0.currency == limit.currency }) else {
                throw one.wrong(.repeatedEntry, "An entry before is about the same currency.")
            }
            approvals.append(limit)
        }
        if let member = reported["explainedTypes"] { explainedTypes = try Self.explainedTypes(member) }
        for one in try reported["depositAccounts"]?.list(atMost: Self.mostEntries) ?? [] {
            let account = try one.text(atMost: 100)
            guard !depositAccounts.contains(account) else {
                throw one.wrong(.repeatedEntry, "An entry before is the same account.")
            }
            depositAccounts.append(account)
        }
    }

    /// All texts that users chose, with their JSON pointers.
    package var texts: [(pointer: String, text: String)] {
        var texts: [(pointer: String, text: String)] = []
        func add(_ member: String, _ entries: [[(name: String, text: String?)]]) {
            for (place, entry) in entries.enumerated() {
                for one in entry { texts.append(("/\(member)/\(place)\(one.name)", one.text ?? "")) }
            }
        }
        add("ladder", ladder.map { [("/name", $0.name)] })
        add("deposits", deposits.map { [("/name", $0.name)] })
        add("fees", fees.map { [("/brand", $0.brand)] })
        add("depositAccounts", depositAccounts.map { [("", $0)] })
        add("postings", postings.map { [("/name", $0.name), ("/rawType", $0.rawType), ("/part", $0.part)] })
        add("calendars", calendars.map { [("/merchant", $0.merchant)] })
        add("contracts", contracts.map { [("/merchant", $0.merchant), ("/brand", $0.brand)] })
        return texts
    }

    private static func explainedTypes(
        _ reported: SubmittedRules
    ) throws(RulesProblem) -> [PostingRule.LineType] {
        var types: [PostingRule.LineType] = []
        for one in try reported.list(atMost: longestLadder) {
            let type = try one.one(of: PostingRule.LineType.self, .unknownType)
            guard type.hasAccount else {
                throw one.wrong(.notApplicable, "The journal has no account for the type: add a posting rule.")
            }
            guard !types.contains(type) else { throw one.wrong(.repeatedEntry, "An entry before is the same type.") }
            types.append(type)
        }
        return types
    }

    private static func unique<Rule: NamedRule>(
        _ reported: SubmittedRules,
        _ read: (SubmittedRules) throws(RulesProblem) -> Rule
    ) throws(RulesProblem) -> [Rule] {
        var rules: [Rule] = []
        for one in try reported.list(atMost: longestLadder) {
            let rule = try read(one)
            guard !rules.contains(where: { $0.name == rule.name }) else {
                throw RulesProblem(.repeatedName, at: one.pointer + "/name", "A rule before has the same name.")
            }
            rules.append(rule)
        }
        return rules
    }
}

/// A step of a ladder.
private protocol NamedRule {
    var name: String { get }
}

extension MatchingRule: NamedRule {
    /// Names with a fixed meaning in reports about candidates.
    private static let reserved = [byHand, chargeback, "related-id"]
    /// Keys that many payments share.
    private static let wide: Set<MatchingKey> = [.merchant, .terminal, .batch, .lastFour]
    private static let highestTolerance: Int64 = 1_000_000_000

    fileprivate init(_ reported: SubmittedRules) throws(RulesProblem) {
        let members = try reported.members(["name", "keys", "choice", "days", "tolerance"])
        let name = try members.needed("name")
        let keys = try members.needed("keys")
        self.init(
            try name.name(),
            try keys.keys(of: MatchingKey.self),
            try members.needed("choice").one(of: Choice.self, .unknownChoice),
            days: try members.days("days"),
            tolerance: try members.integer("tolerance", in: 0...Self.highestTolerance, .tolerance) ?? 0
        )
        guard !Self.reserved.contains(self.name) else { throw name.wrong(.invalidName, "The name is reserved.") }
        guard !self.keys.isEmpty else { throw keys.wrong(.noKeys, "A rule has a key at least.") }
        // All entries with the same key are compared with each other, so the keys must be specific.
        let isNarrow = choice == .total ? self.keys.contains(.batch) : !Self.wide.isSuperset(of: self.keys)
        guard isNarrow else {
            throw keys.wrong(
                .wideKeys,
                choice == .total
                    ? "A total is a batch's: `batch` is among its keys."
                    : "Merchant, terminal, batch and last four do not identify a payment: add a key."
            )
        }
        if let tolerance = members["tolerance"], self.tolerance > 0, choice != .unique {
            throw tolerance.wrong(.notApplicable, "Only `unique` allows for a difference.")
        }
    }
}

extension DepositRule: NamedRule {
    fileprivate init(_ reported: SubmittedRules) throws(RulesProblem) {
        let members = try reported.members(["name", "keys", "choice", "days"])
        let keys = try members.needed("keys")
        self.init(
            try members.needed("name").name(),
            try keys.keys(of: DepositKey.self),
            try members.needed("choice").one(of: Choice.self, .unknownChoice),
            days: try members.days("days")
        )
        switch choice {
        case .inOrder, .sum:
            guard !self.keys.isEmpty else { throw keys.wrong(.noKeys, "A rule with this choice has a key at least.") }
        case .unique:
            guard !self.keys.isEmpty || days != nil else {
                throw keys.wrong(.noKeys, "The amount alone is compared within some `days`: add them, or a key.")
            }
        case .payoutsOfDay, .depositsOfDay:
            guard self.keys.isEmpty else {
                throw keys.wrong(.notApplicable, "Sums of a day take no notice of keys.")
            }
        }
    }
}

extension PostingRule: NamedRule {
    fileprivate init(_ reported: SubmittedRules) throws(RulesProblem) {
        let members = try reported.members(["name", "type", "rawType", "format", "account", "part"])
        let account = try members.needed("account")
        let name = try members.needed("name")
        self.init(
            try name.name(),
            try members.needed("type").one(of: LineType.self, .unknownType),
            rawType: try members["rawType"]?.text(atMost: 100),
            format: try members["format"]?.name(),
            account: try account.one(of: Account.self, .unknownAccount),
            part: try members["part"]?.text(atMost: 100)
        )
        guard self.name != Self.carriedOver else { throw name.wrong(.invalidName, "The name is reserved.") }
        guard Self.accounts.contains(self.account) else {
            let known = Self.accounts.map(\.rawValue).joined(separator: ", ")
            throw account.wrong(.unknownAccount, "It is one of \(known).")
        }
        if let part = members["part"], self.account.partName == nil {
            throw part.wrong(.notApplicable, "The account has no parts.")
        }
    }
}

extension ExpectedFee {
    fileprivate init(_ reported: SubmittedRules, _ highest: Int64) throws(RulesProblem) {
        let members = try reported.members(["brand", "currency", "basisPoints", "fixed", "tolerance"])
        self.init(
            brand: try members["brand"]?.text(atMost: 100),
            currency: try members.needed("currency").currency(),
            basisPoints: try members.needed("basisPoints").integer(in: 0...10_000, .amount),
            fixed: try members.integer("fixed", in: 0...highest, .amount) ?? 0,
            tolerance: try members.integer("tolerance", in: 0...highest, .tolerance) ?? 1
        )
    }
}

extension FeeContract {
    /// Reads a submitted contract. Processor and component are checked where they are known.
    fileprivate init(_ reported: SubmittedRules, _ highest: Int64) throws(RulesProblem) {
        let members = try reported.members([
            "processor", "merchant", "brand", "component", "currency", "begins", "basisPointHundredths", "fixed",
        ])
        self.init(
            processor: try members.needed("processor").name(),
            merchant: try members["merchant"]?.text(atMost: 500),
            brand: try members["brand"]?.text(atMost: 100),
            component: try members.needed("component").text(atMost: 64),
            currency: try members.needed("currency").currency(),
            begins: try members.needed("begins").day(),
            basisPointHundredths: try members.needed("basisPointHundredths").integer(in: 0...Self.whole, .amount),
            fixed: try members.integer("fixed", in: 0...highest, .amount) ?? 0
        )
    }
}
