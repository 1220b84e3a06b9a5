package import Canonical

/// One rule as written in the rule files: the meaning of a code, or a limit.
package struct RuleRecord: Sendable, Hashable, Codable {
    /// The kind of the value.
    package enum Unit: String, Sendable, Hashable, Codable, CaseIterable {
        case treatment
        /// One of Visa's decline categories, 1 to 4.
        case category
        case seconds, count
        case basisPoints = "basis-points"
        /// 0 or 1.
        case flag
        /// Seconds, each at least as long as the one before, separated by spaces.
        case secondsList = "seconds-list"
    }

    /// A value from another source.
    package struct Disagreement: Sendable, Hashable, Codable {
        package var source: String
        package var value: String

        package init(source: String, value: String) {
            self.source = source
            self.value = value
        }
    }

    /// Unique on every day: `iso.51`, `bridgepay.message.D03`, `window.duplicate.helcim`.
    package var id: String
    /// The space of the code: `iso`, `visa`, `dejavoo.spin`; `limit` for a rule that is not about a code.
    package var space: String
    package var code: String?
    /// For a range of codes of equal length, the last code.
    package var through: String?
    /// The text an answer must contain, in capital letters.
    package var text: String?
    /// The class of the answer, for display: `hard`, `soft`, `system`.
    package var `class`: String?
    package var meaning: String
    package var unit: Unit
    package var value: String
    /// The lower bound of a limit's value.
    package var least: Int64?
    /// The lower bound if only stand-ins are called, for a value that guards against charging twice.
    package var leastAtStandIns: Int64?
    package var most: Int64?
    /// The first day on which the rule applies: `2022-04-01`; `1970-01-01` if its source names none.
    package var from: String
    /// The first day on which it no longer applies.
    package var until: String?
    /// The source document.
    package var source: String
    /// The values in other documents. The strictest value counts.
    package var others: [Disagreement]?
    package var note: String?

    package init(
        id: String,
        space: String,
        code: String? = nil,
        through: String? = nil,
        text: String? = nil,
        class: String? = nil,
        meaning: String,
        unit: Unit,
        value: String,
        least: Int64? = nil,
        leastAtStandIns: Int64? = nil,
        most: Int64? = nil,
        from: String = "1970-01-01",
        until: String? = nil,
        source: String,
        others: [Disagreement]? = nil,
        note: String? = nil
    ) {
        self.id = id
        self.space = space
        self.code = code
        self.through = through
        self.text = text
        self.class = `class`
        self.meaning = meaning
        self.unit = unit
        self.value = value
        self.least = least
        self.leastAtStandIns = leastAtStandIns
        self.most = most
        self.from = from
        self.until = until
        self.source = source
        self.others = others
        self.note = note
    }
}

/// The value of a rule.
package enum RuleValue: Sendable, Hashable {
    case treatment(Treatment)
    case category(Int64)
    /// Seconds, a count, basis points (1/100 of a percent), or 0 and 1.
    case number(Int64)
    case list([Int64])
}

/// A validated rule: its value has the rule's unit and is within its bounds.
package struct Rule: Sendable, Hashable {
    package private(set) var record: RuleRecord
    package private(set) var value: RuleValue
    package let from: CivilDate
    package let until: CivilDate?

    package var id: String { record.id }

    /// - Throws: `.unreadableRules`, and the errors of `RuleValue.init`.
    package init(_ record: RuleRecord) throws(RuleBookError) {
        guard let from = CivilDate(record.from) else {
            throw RuleBookError(.unreadableRules, record.id, "it has no day from which it holds")
        }
        let until = record.until.flatMap { CivilDate($0) }
        guard record.until == nil || until.map({ $0 > from }) == true else {
            throw RuleBookError(.unreadableRules, record.id, "it ends before it begins, or on no day")
        }
        guard !record.id.isEmpty, record.space == "limit" || record.code != nil else {
            throw RuleBookError(.unreadableRules, record.id, "it is about no code")
        }
        self.record = record
        self.from = from
        self.until = until
        value = try RuleValue(record.value, of: record)
    }

    package func holds(on day: CivilDate) -> Bool { from <= day && until.map { day < $0 } ?? true }

    /// The same rule with another value.
    ///
    /// - Throws: `.invalidValue`, `.outOfBounds`, and `.tooLoose` for a value that would allow repeating an operation
    ///   that the source forbids to repeat or that may have moved money. A value from another source is allowed.
    ///   `.tooLoose` also for a value that shortens a guard against charging twice, unless only stand-ins are called.
    package func with(value text: String, queriesOnlyStandIns: Bool = false) throws(RuleBookError) -> Rule {
        var changed = self
        var bounds = record
        if queriesOnlyStandIns, let least = record.leastAtStandIns { bounds.least = least }
        if !queriesOnlyStandIns, let least = record.leastAtStandIns, let strict = record.least,
            let number = Int64(text),
            number >= least, number < strict
        {
            throw RuleBookError(
                .tooLoose,
                id,
                "\(number) is less than \(strict): it guards against charging twice, and less is for stand-ins only"
            )
        }
        changed.value = try RuleValue(text, of: bounds)
        changed.record.value = text
        let isDisagreement = record.others?.contains { $0.value == text } ?? false
        switch (value, changed.value) {
        case (.treatment(let old), .treatment(let new)) where !isDisagreement:
            let isBound = old.mayHaveMovedMoney || old == .never || old == .reversed
            guard old == new || !isBound || new.care > old.care || old.care == 5 && new == .ambiguous else {
                throw RuleBookError(.tooLoose, id, "\(record.value) cannot be loosened to \(text)")
            }
            // Only the gateway decides whether money moved.
            guard old == new || ![.posted, .postedInPart, .notPosted, .reversed, .nothingToReverse].contains(new) else {
                throw RuleBookError(.tooLoose, id, "whether money moved is not a matter of choice")
            }
        case (.category(let old), .category(let new)) where !isDisagreement && old != new && new != 1:
            throw RuleBookError(.tooLoose, id, "category \(old) cannot be loosened to \(new)")
        default: break
        }
        return changed
    }
}

extension RuleValue {
    /// - Throws: `.invalidValue` for a value that does not have the rule's unit, `.outOfBounds`.
    init(_ text: String, of rule: RuleRecord) throws(RuleBookError) {
        switch rule.unit {
        case .treatment:
            guard let treatment = Treatment(text) else {
                let names = Treatment.names.joined(separator: ", ")
                throw RuleBookError(.invalidValue, rule.id, "one of \(names) is expected")
            }
            self = .treatment(treatment)
        case .category: self = .category(try Self.number(text, of: rule, within: 1...4))
        case .flag: self = .number(try Self.number(text, of: rule, within: 0...1))
        case .seconds, .count: self = .number(try Self.number(text, of: rule, within: 0...Treatment.longestWait))
        case .basisPoints: self = .number(try Self.number(text, of: rule, within: 0...10_000))
        case .secondsList:
            var numbers: [Int64] = []
            for word in text.split(separator: " ", omittingEmptySubsequences: false) {
                let number = try Self.number(String(word), of: rule, within: 1...Treatment.longestWait)
                guard numbers.last ?? 0 <= number else {
                    throw RuleBookError(.invalidValue, rule.id, "no interval may be shorter than the one before it")
                }
                numbers.append(number)
            }
            guard numbers.count <= 64 else {
                throw RuleBookError(.invalidValue, rule.id, "at most 64 intervals are expected")
            }
            self = .list(numbers)
        }
    }

    private static func number(
        _ text: String,
        of rule: RuleRecord,
        within range: ClosedRange<Int64>
    ) throws(RuleBookError) -> Int64 {
        guard text.utf8.count <= 12, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text)
        else {
            throw RuleBookError(.invalidValue, rule.id, "a whole number in \(rule.unit.rawValue) is expected")
        }
        let least = max(range.lowerBound, rule.least ?? range.lowerBound)
        let most = min(range.upperBound, rule.most ?? range.upperBound)
        guard number >= least, number <= most else {
            throw RuleBookError(.outOfBounds, rule.id, "\(number) is not within \(least) to \(most)")
        }
        return number
    }
}
