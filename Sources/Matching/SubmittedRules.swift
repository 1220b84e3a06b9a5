import Canonical
import Payments

/// A part of submitted rules and its JSON pointer.
struct SubmittedRules {
    let value: JSONValue
    let pointer: String

    func wrong(_ code: RulesProblem.Code, _ detail: String) -> RulesProblem {
        RulesProblem(code, at: pointer, detail)
    }

    /// The members of an object; an unknown member is an error.
    func members(_ known: [String]) throws(RulesProblem) -> Members {
        guard let object = value.object else {
            throw wrong(.invalid, "It must be an object with members of \(known.joined(separator: ", ")).")
        }
        if let other = object.members.first(where: { !known.contains($0.key) }) {
            let name = other.key.prefix(64)
            throw wrong(.invalid, "`\(name)` is unknown here. Known: \(known.joined(separator: ", ")).")
        }
        return Members(whole: self, object: object)
    }

    struct Members {
        let whole: SubmittedRules
        let object: JSONObject

        /// Nil if the member is omitted or null.
        subscript(name: String) -> SubmittedRules? {
            guard let value = object[name], value != .null else { return nil }
            return SubmittedRules(value: value, pointer: "\(whole.pointer)/\(name)")
        }

        func needed(_ name: String) throws(RulesProblem) -> SubmittedRules {
            guard let member = self[name] else { throw whole.wrong(.invalid, "`\(name)` is missing.") }
            return member
        }

        func integer(
            _ name: String,
            in range: ClosedRange<Int64>,
            _ code: RulesProblem.Code
        ) throws(RulesProblem) -> Int64? {
            guard let member = self[name] else { return nil }
            return try member.integer(in: range, code)
        }

        func days(_ name: String, in range: ClosedRange<Int64> = 0...366) throws(RulesProblem) -> Int? {
            try integer(name, in: range, .days).map { Int($0) }
        }
    }

    func integer(in range: ClosedRange<Int64>, _ code: RulesProblem.Code) throws(RulesProblem) -> Int64 {
        guard case .number(let number) = value else { throw wrong(.invalid, "It is a number.") }
        guard let integer = number.int64, range.contains(integer) else {
            throw wrong(code, "It is a whole number of \(range.lowerBound) to \(range.upperBound).")
        }
        return integer
    }

    func list(atMost limit: Int) throws(RulesProblem) -> [SubmittedRules] {
        guard let items = value.array else { throw wrong(.invalid, "It is a list.") }
        guard items.count <= limit else { throw wrong(.tooMany, "It has \(limit) entries at most.") }
        return items.enumerated().map { SubmittedRules(value: $0.element, pointer: "\(pointer)/\($0.offset)") }
    }

    func text(atMost limit: Int) throws(RulesProblem) -> String {
        guard let text = value.string, (1...limit).contains(text.utf8.count),
            text.contains(where: { !$0.isWhitespace }),
            text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else { throw wrong(.invalid, "It is a text of 1 to \(limit) bytes, without control characters.") }
        return text
    }

    /// The name of a rule.
    func name() throws(RulesProblem) -> String {
        let isPlain: (UInt8) -> Bool = { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) }
        guard let text = value.string, (1...64).contains(text.utf8.count), text.utf8.first.map(isPlain) == true,
            text.utf8.allSatisfy({ isPlain($0) || $0 == 0x2D })
        else { throw wrong(.invalidName, "A name is 1 to 64 of a-z, 0-9 and -, and begins with a letter or digit.") }
        return text
    }

    func currency() throws(RulesProblem) -> String {
        guard let currency = value.string.flatMap({ Currency(alpha: $0) }) else {
            throw wrong(.unknownCurrency, "It is a currency of ISO 4217, as USD.")
        }
        return currency.alpha
    }

    /// A day of the years 2000 to 2199, as it was written.
    func day() throws(RulesProblem) -> String {
        guard let text = value.string, let day = CivilDate(text), (2000...2199).contains(day.year) else {
            throw wrong(.invalidDay, "It is a day of the years 2000 to 2199, as 2026-03-02.")
        }
        return text
    }

    func one<Choice: RawRepresentable & CaseIterable>(
        of choices: Choice.Type,
        _ code: RulesProblem.Code
    ) throws(RulesProblem) -> Choice where Choice.RawValue == String {
        guard let choice = value.string.flatMap({ Choice(rawValue: $0) }) else {
            throw wrong(code, "It is one of \(Choice.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return choice
    }

    /// A list of keys without duplicates.
    func keys<Key: RawRepresentable & CaseIterable & Hashable>(
        of keys: Key.Type
    ) throws(RulesProblem) -> [Key] where Key.RawValue == String {
        var read: [Key] = []
        for item in try list(atMost: 64) {
            let key = try item.one(of: Key.self, .unknownKey)
            guard !read.contains(key) else { throw item.wrong(.repeatedKey, "The rule has this key before.") }
            read.append(key)
        }
        return read
    }
}
