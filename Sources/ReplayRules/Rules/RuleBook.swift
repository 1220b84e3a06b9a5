package import Canonical
import Payments

/// The rules that apply on one day.
package struct RuleBook: Sendable, Hashable {
    /// The edition of the written rules in this build.
    package static let edition = "2026.2"

    /// The day the rules were selected for, in UTC.
    package let day: CivilDate
    /// `rule=value`, ordered by rule.
    package let overrides: [String]
    /// All applicable rules, ordered by id.
    package let rules: [Rule]
    /// `sha256:` and the digest of all applicable rules, overrides included, in hexadecimal digits.
    package let digest: String

    private let exact: [CodeKey: [Rule]]
    private let ranges: [String: [Rule]]
    private let limits: [String: Rule]
    private let spaces: Set<String>

    private struct CodeKey: Hashable {
        var space: String
        var code: String
    }

    /// The rules of this build that apply at a time.
    ///
    /// - Parameters:
    ///   - overrides: `rule=value`, for one tenant or for a trial.
    ///   - queriesOnlyStandIns: True if no real gateway is called. Guards against charging twice may then be shortened.
    ///
    /// - Throws: `RuleBookError`.
    package init(
        asOf time: Timestamp,
        overriding overrides: [String] = [],
        queriesOnlyStandIns: Bool = false
    ) throws(RuleBookError) {
        try self.init(
            WrittenRules.all.get(),
            on: time.civilDate,
            overriding: overrides,
            queriesOnlyStandIns: queriesOnlyStandIns
        )
    }

    /// A book of the given rules.
    package init(
        _ records: [RuleRecord],
        on day: CivilDate,
        overriding overrides: [String] = [],
        queriesOnlyStandIns: Bool = false
    ) throws(RuleBookError) {
        var rules: [String: Rule] = [:]
        for record in records {
            let rule = try Rule(record)
            guard rule.holds(on: day) else { continue }
            guard rules.updateValue(rule, forKey: rule.id) == nil else {
                throw RuleBookError(.overlappingRules, rule.id, "two of them hold on \(day)")
            }
        }
        var texts: [String: String] = [:]
        for text in overrides {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw RuleBookError(.malformedOverride, "", "rule=value is expected")
            }
            let id = String(parts[0])
            guard let rule = rules[id] else {
                throw RuleBookError(.unknownRule, id, "no such rule holds on \(day)")
            }
            guard texts.updateValue(text, forKey: id) == nil else {
                throw RuleBookError(.repeatedOverride, id, "it is overridden twice")
            }
            rules[id] = try rule.with(value: String(parts[1]), queriesOnlyStandIns: queriesOnlyStandIns)
        }
        let sorted = rules.values.sorted { $0.id < $1.id }
        self.day = day
        self.rules = sorted
        self.overrides = texts.keys.sorted().compactMap { texts[$0] }
        digest = try Self.digest(of: sorted)
        let codes = sorted.filter { $0.record.space != "limit" }
        ranges = Dictionary(grouping: codes.filter { $0.record.through != nil }, by: \.record.space)
        exact = Dictionary(grouping: codes.filter { $0.record.through == nil }) { rule in
            CodeKey(space: rule.record.space, code: Self.plain(rule.record.code ?? ""))
        }
        spaces = Set(codes.map(\.record.space))
        limits = rules.filter { $0.value.record.space == "limit" }
    }

    private static func digest(of rules: [Rule]) throws(RuleBookError) -> String {
        do {
            return ReferenceKey.bounded(try JSONValueEncoder().encode(rules.map(\.record)).text, toBytes: 0)
        } catch {
            throw RuleBookError(.unreadableRules, "", "they cannot be written")
        }
    }

    private static func plain(_ code: String) -> String { code.uppercased() }

    // MARK: Lookup

    /// True if there are rules for codes of this space.
    package func knows(space: String) -> Bool { spaces.contains(space) }

    /// The rule for a code: first a rule whose text the answer contains, then a rule for the code alone, then a rule
    /// for a range with the code.
    ///
    /// - Parameter message: The answer's text, in upper or lower case.
    package func rule(_ space: String, _ code: String, message: String? = nil) -> Rule? {
        let code = Self.plain(code)
        let text = (message ?? "").uppercased()
        let exact = exact[CodeKey(space: space, code: code)] ?? []
        if let match = exact.first(where: { $0.record.text.map { text.contains($0) } ?? false }) { return match }
        if let match = exact.first(where: { $0.record.text == nil }) { return match }
        return ranges[space]?.first { rule in
            guard let first = rule.record.code, let last = rule.record.through else { return false }
            return code.utf8.count == first.utf8.count && first <= code && code <= last
        }
    }

    /// False for the windows of gateways that are known to the rules and behind no vendor's: no payment is judged by
    /// them.
    package static func reads(_ id: some StringProtocol) -> Bool {
        let parts = id.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "window", parts[1] == "duplicate" else { return true }
        return Vendor(rawValue: String(parts[2])) != nil
    }

    /// A limit, looked up from the most specific name to the least specific. `limit("window.duplicate", "helcim")` is
    /// the limit for Helcim, or else the limit for all gateways.
    package func limit(_ name: String, _ particulars: String?...) -> Rule? {
        var known = particulars.compactMap(\.self)
        while !known.isEmpty {
            if let rule = limits[([name] + known).joined(separator: ".")] { return rule }
            known.removeLast()
        }
        return limits[name]
    }
}

extension Rule {
    /// The value of a limit; nil for lists and for rules about codes.
    package var number: Int64? {
        if case .number(let number) = value { number } else { nil }
    }

    package var list: [Int64]? {
        if case .list(let list) = value { list } else { nil }
    }

    package var treatment: Treatment? {
        switch value {
        case .treatment(let treatment): treatment
        // Category 1 is never resubmitted, 3 only after the data is corrected, and 2 and 4 within the cap, as the
        // answer allows.
        case .category(let category): category == 1 ? .never : category == 3 ? .fix : .informative
        case .number, .list: nil
        }
    }
}

extension Timestamp {
    /// The day in UTC.
    package var civilDate: CivilDate {
        let day: Int64 = 86_400_000_000
        let rest = (microsecondsSince1970 % day + day) % day
        return CivilDate(daysSince1970: (microsecondsSince1970 - rest) / day)
    }

    /// This time plus the seconds, clamped to the earliest and the latest representable time.
    func adding(seconds: Int64) -> Timestamp {
        let (microseconds, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? (seconds < 0 ? .earliest : .latest) : adding(microseconds: microseconds)
    }
}
