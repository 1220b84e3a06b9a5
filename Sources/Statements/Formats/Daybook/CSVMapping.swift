import Canonical
package import Payments

/// How to read a CSV that Daybook does not know: the meaning of its columns, its notation of amounts and days, and its
/// words for types. The default is Daybook's own CSV. docs/statements.md describes the file.
package struct CSVMapping: Sendable, Hashable {
    /// How amounts get their sign.
    package enum SignRule: String, Sendable, Hashable, CaseIterable {
        /// Amounts have a sign, positive for the merchant.
        case asWritten = "as-written"
        /// Amounts have a sign, positive for the other side.
        case inverted
        /// Amounts have no sign: refunds, chargebacks, fees, reserves, payouts and withdrawals are negative.
        case byType = "by-type"
        /// Amounts have no sign: the column `sign` has it, in the words of `negative` and `positive`.
        case byColumn = "by-column"
    }

    /// The meaning of a word for a type.
    package enum Meaning: Sendable, Hashable {
        case line(LineType)
        /// A row that adds up the rows above it.
        case total
        /// A row that is not a line, such as a heading or the end of a page.
        case ignored
    }

    /// Nil if the delimiter is to be detected from the file's lines.
    package var delimiter: UInt8?
    package var amounts = AmountStyle()
    package var dateOrder = DateOrder.yearMonthDay
    /// For times without a zone.
    package var zone: String?
    /// For rows without a currency.
    package var currency: Currency?
    package var side = StatementSide.processor
    package var sign = SignRule.asWritten
    package var negative: [String] = []
    package var positive: [String] = []
    /// True if fees are positive and reduce the net.
    package var areFeesPositive = false
    /// The meanings by words in lower case.
    package var types: [String: Meaning] = [:]
    /// For rows without a type, or for all rows; nil for deposits and withdrawals by their sign.
    package var defaultType: LineType?
    /// The file's own column names, by Daybook's names. Empty for a file with Daybook's names.
    package var columns: [String: String] = [:]
    /// References that all lines have.
    package var constants: [ReferenceKind: String] = [:]

    package init() {}
}

// MARK: - Reading

extension CSVMapping {
    /// Reads the text of a mapping file.
    ///
    /// - Throws: `.badMapping`, naming the member and what was expected of it.
    package init(parsing bytes: some Collection<UInt8>) throws(StatementProblem) {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == 0x0A } + 1
            throw StatementProblem(.badMapping, line: line, "The mapping is not JSON: \(error.code.rawValue).")
        }
        guard let object = value.object else { throw Self.problem("mapping", "An object is expected.") }
        self.init()
        for (name, value) in object.members.map({ ($0.key, $0.value) }) { try set(name, value) }
        if sign == .byColumn, columns["sign"] == nil {
            throw Self.problem("sign", "The rule by-column needs a column named sign.")
        }
        if sign == .byColumn, negative.isEmpty {
            throw Self.problem("negative", "The rule by-column needs the words for below zero.")
        }
    }

    private mutating func set(_ name: String, _ value: JSONValue) throws(StatementProblem) {
        switch name {
        case "delimiter":
            let text = try Self.text(value, name)
            delimiter = text == "auto" ? nil : try Self.character(text == "tab" ? "\t" : text, name)
        case "decimal": amounts.decimal = try Self.character(try Self.text(value, name), name)
        case "grouping":
            let text = try Self.text(value, name)
            amounts.grouping = text.isEmpty ? nil : try Self.character(text, name)
        case "amounts": amounts.isMinor = try Self.one(of: ["decimal": false, "minor": true], value, name)
        case "dates":
            dateOrder = try Self.one(
                of: .init(uniqueKeysWithValues: DateOrder.allCases.map { ($0.rawValue, $0) }),
                value,
                name
            )
        case "zone": zone = try Self.text(value, name)
        case "currency":
            guard let found = Currency(alpha: try Self.text(value, name)), found.exponent != nil else {
                throw Self.problem(name, "A currency of ISO 4217 is expected.")
            }
            currency = found
        case "side": side = try Self.one(of: ["processor": .processor, "bank": .bank], value, name)
        case "sign":
            sign = try Self.one(
                of: .init(uniqueKeysWithValues: SignRule.allCases.map { ($0.rawValue, $0) }),
                value,
                name
            )
        case "negative": negative = try Self.texts(value, name)
        case "positive": positive = try Self.texts(value, name)
        case "fees": areFeesPositive = try Self.one(of: ["signed": false, "positive": true], value, name)
        case "type":
            guard let type = LineType(rawValue: try Self.text(value, name)) else {
                throw Self.problem(name, "A type of line is expected.")
            }
            defaultType = type
        case "types": types = try Self.types(value)
        case "columns": columns = try Self.columns(value)
        case "constants": constants = try Self.constants(value)
        case "comment": break
        default: throw Self.problem(name, "A mapping has no such member.")
        }
    }

    private static func types(_ value: JSONValue) throws(StatementProblem) -> [String: Meaning] {
        var types: [String: Meaning] = [:]
        for (word, name) in try members(value, "types") {
            let text = try text(name, "types.\(word)")
            switch text {
            case "total": types[word.lowercased()] = .total
            case "ignore": types[word.lowercased()] = .ignored
            default:
                guard let type = LineType(rawValue: text) else {
                    throw problem("types.\(word)", "A type of line, total or ignore is expected.")
                }
                types[word.lowercased()] = .line(type)
            }
        }
        return types
    }

    private static func columns(_ value: JSONValue) throws(StatementProblem) -> [String: String] {
        let known = Set(DaybookColumn.allCases.map(\.title))
        var columns: [String: String] = [:]
        for (name, column) in try members(value, "columns") {
            guard known.contains(name) else { throw problem("columns.\(name)", "Daybook has no such column.") }
            let text = try text(column, "columns.\(name)")
            guard !CSVColumns<DaybookColumn>.plain(Array(text.utf8)[...]).isEmpty else {
                throw problem("columns.\(name)", "The name of a column has a letter or a digit.")
            }
            columns[name] = text
        }
        return columns
    }

    private static func constants(_ value: JSONValue) throws(StatementProblem) -> [ReferenceKind: String] {
        var constants: [ReferenceKind: String] = [:]
        for (name, constant) in try members(value, "constants") {
            guard let kind = ReferenceKind.allCases.first(where: { $0.name == name }) else {
                throw problem("constants.\(name)", "Lines have no such reference.")
            }
            constants[kind] = try text(constant, "constants.\(name)")
        }
        return constants
    }

    // MARK: Values

    private static func problem(_ name: String, _ detail: String) -> StatementProblem {
        StatementProblem(.badMapping, line: 0, column: .named(name), detail)
    }

    private static func text(_ value: JSONValue, _ name: String) throws(StatementProblem) -> String {
        guard let text = value.string else { throw problem(name, "A text is expected.") }
        return text
    }

    private static func texts(_ value: JSONValue, _ name: String) throws(StatementProblem) -> [String] {
        guard let texts = value.array?.compactMap(\.string), texts.count == value.array?.count else {
            throw problem(name, "A list of texts is expected.")
        }
        return texts
    }

    private static func members(
        _ value: JSONValue,
        _ name: String
    ) throws(StatementProblem) -> [(String, JSONValue)] {
        guard let object = value.object else { throw problem(name, "An object is expected.") }
        return object.members.map { ($0.key, $0.value) }
    }

    private static func character(_ text: String, _ name: String) throws(StatementProblem) -> UInt8 {
        guard text.utf8.count == 1, let byte = text.utf8.first, byte == 0x09 || 0x20...0x7E ~= byte,
            byte &- 0x30 >= 10, byte != 0x22
        else { throw problem(name, "One character of ASCII is expected, not a digit and not a quote.") }
        return byte
    }

    private static func one<Value>(
        of values: [String: Value],
        _ value: JSONValue,
        _ name: String
    ) throws(StatementProblem) -> Value {
        guard let found = values[try text(value, name)] else {
            throw problem(name, "Expected is one of \(values.keys.sorted().joined(separator: ", ")).")
        }
        return found
    }
}
