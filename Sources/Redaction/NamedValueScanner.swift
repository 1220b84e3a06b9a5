/// Finds values by the sensitive name before them, in text that is not valid JSON: `password=...`, `"cvv" : "123"`,
/// `<Password>...</Password>`, `password: @"..."`, `57:4111...;`.
///
/// A vendor schema's declarations for fields anywhere in its documents also apply here.
///
/// The time is linear: looking ahead from a name is bounded, and a found value is not scanned again.
struct NamedValueScanner {
    private enum Purpose {
        case hide
        /// Find identifiers that only look like card numbers.
        case findIdentifiers
    }

    let units: TextUnits
    private let schema: RedactionSchema
    private let purpose: Purpose
    private var identifiers: [Range<Int>] = []
    var edits: TextEdits
    /// The words before the current one on the same line, separated by a single space each.
    private var earlier: [Range<Int>] = []

    static func scan(_ units: TextUnits, schema: RedactionSchema, into edits: inout TextEdits) {
        var scanner = NamedValueScanner(units: units, schema: schema, purpose: .hide, edits: edits)
        scanner.run()
        edits = scanner.edits
    }

    /// The ranges of declared identifiers whose values have the declared shape.
    static func identifiers(in units: TextUnits, declaredBy schema: RedactionSchema) -> [Range<Int>] {
        guard !schema.isEmpty else { return [] }
        let edits = TextEdits(count: 0)
        var scanner = NamedValueScanner(units: units, schema: schema, purpose: .findIdentifiers, edits: edits)
        scanner.run()
        return scanner.identifiers
    }

    private init(units: TextUnits, schema: RedactionSchema, purpose: Purpose, edits: TextEdits) {
        self.units = units
        self.schema = schema
        self.purpose = purpose
        self.edits = edits
    }

    private mutating func run() {
        var index = 0
        while index < units.count {
            guard isWord(index) else {
                index += 1
                continue
            }
            let start = index
            while isWord(index) { index += 1 }
            let word = start..<index
            if isOwnKey(word), purpose == .hide {
                edits.drop(word, of: units, rule: .credential)
                continue
            }
            let adjoins = earlier.last.map { $0.upperBound + 1 == start && units.values[start - 1] == 0x20 } ?? false
            if !adjoins { earlier.removeAll(keepingCapacity: true) }
            earlier.append(word)
            if earlier.count > 3 { earlier.removeFirst() }
            if let end = treatValue(after: word) {
                index = max(index, end)
                earlier.removeAll(keepingCapacity: true)
            }
        }
    }

    // MARK: Characters

    private func value(_ index: Int) -> UInt32? {
        index >= 0 && index < units.count ? units.values[index] : nil
    }

    private func isWord(_ index: Int) -> Bool {
        guard let value = value(index) else { return false }
        return isLetterOrDigit(value) || value == 0x5F || value == 0x2D
    }

    private func isLetterOrDigit(_ value: UInt32) -> Bool {
        (0x30...0x39).contains(value) || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value)
    }

    func isHex(_ value: UInt32) -> Bool {
        (0x30...0x39).contains(value) || (0x41...0x46).contains(value) || (0x61...0x66).contains(value)
    }

    private func isQuote(_ value: UInt32) -> Bool {
        [0x22, 0x27, 0x60, 0x201C, 0x201D, 0x2018, 0x2019].contains(value)
    }

    private func isLineEnd(_ value: UInt32) -> Bool { value == 0x0A || value == 0x0D }
    private func isBlank(_ value: UInt32) -> Bool { value == 0x20 || value == 0x09 || value == 0xA0 }

    private func isEscaped(_ index: Int) -> Bool { units.starts[index + 1] - units.starts[index] > 1 }

    func text(_ range: Range<Int>) -> String {
        var text = String.UnicodeScalarView()
        for index in range { text.append(Unicode.Scalar(units.values[index]) ?? "\u{FFFD}") }
        return String(text)
    }

    // MARK: Names

    /// Daybook's own API keys, `dbk_...`, are always secret.
    private func isOwnKey(_ word: Range<Int>) -> Bool {
        word.count >= 24
            && units.values[word.lowerBound..<(word.lowerBound + 4)].elementsEqual([0x64, 0x62, 0x6B, 0x5F])
    }

    /// The treatment for the longest name that the last three, two or one words form.
    private func treatment() -> SensitiveNames.Treatment? {
        named { schema.treatmentInText(of: $0) ?? SensitiveNames.treatment(of: $0) }
    }

    private func named<Found>(_ find: (String) -> Found?) -> Found? {
        guard let last = earlier.last else { return nil }
        for first in earlier where last.upperBound - first.lowerBound <= 64 {
            let name = SensitiveNames.normalized(text(first.lowerBound..<last.upperBound))
            if let found = find(name) { return found }
        }
        return nil
    }

    /// - Returns: The index at which reading continues, or nil if the preceding words name nothing sensitive.
    private mutating func treatValue(after word: Range<Int>) -> Int? {
        if purpose == .findIdentifiers { return identifier(after: word) }
        guard canName(word), let treatment = treatment() else { return nil }
        if let content = elementContent(of: word) {
            return apply(treatment, to: content, quoted: true) ? content.upperBound : nil
        }
        guard let start = valueStart(after: word.upperBound) else {
            return looseValue(after: word.upperBound, treatment)
        }
        let (content, end, quoted) = extent(from: start.index, treatment, field: word, signIsEscaped: start.isEscaped)
        guard !content.isEmpty else { return nil }
        return apply(treatment, to: content, quoted: quoted) ? end : nil
    }

    /// Whether a value can belong to a word: the word is in a tag, or a sign follows, or a blank and a digit. Most words
    /// have none of these and are not looked up.
    private func canName(_ word: Range<Int>) -> Bool {
        let before = value(word.lowerBound - 1)
        if before == 0x3C || before == 0x3A || valueStart(after: word.upperBound) != nil { return true }
        guard let blank = value(word.upperBound), isBlank(blank) else { return false }
        return word.upperBound + 1 < units.count && units.kinds[word.upperBound + 1] < 10
    }

    /// - Returns: As `treatValue`.
    private mutating func identifier(after word: Range<Int>) -> Int? {
        guard let start = valueStart(after: word.upperBound), let shape = named({ schema.shapeInText(of: $0) }) else {
            return nil
        }
        let (content, end, _) = extent(
            from: start.index,
            .dropShortDigits,
            field: word,
            signIsEscaped: start.isEscaped
        )
        guard !content.isEmpty, shape.matches(text(content)) else { return nil }
        identifiers.append(content)
        return end
    }

    /// `cvv 123`, `PIN 1234`: there is no sign between name and value, but no other meaning is possible.
    private mutating func looseValue(after end: Int, _ treatment: SensitiveNames.Treatment) -> Int? {
        guard treatment == .drop(.cvv) || treatment == .drop(.pin), let blank = value(end), isBlank(blank) else {
            return nil
        }
        var last = end + 1
        while last < units.count, units.kinds[last] < 10 { last += 1 }
        let limit = treatment == .drop(.cvv) ? 3...4 : 4...12
        guard limit.contains(last - end - 1), !isWord(last) else { return nil }
        edits.drop((end + 1)..<last, of: units, rule: treatment == .drop(.cvv) ? .cvv : .pin)
        return last
    }

    // MARK: Values

    /// The content between `<Name ...>` and the next tag.
    private func elementContent(of word: Range<Int>) -> Range<Int>? {
        var open = word.lowerBound - 1
        if value(open) == 0x3A {
            open -= 1
            while open >= 0, word.lowerBound - open < 40, isWord(open) { open -= 1 }
        }
        guard value(open) == 0x3C else { return nil }
        var start = word.upperBound
        while let next = value(start), next != 0x3E {
            guard next != 0x3C, start - word.upperBound < 256 else { return nil }
            start += 1
        }
        guard value(start) == 0x3E, value(start - 1) != 0x2F else { return nil }
        start += 1
        let data: [UInt32] = Array("<![CDATA[".unicodeScalars.map(\.value))
        let isData = start + data.count <= units.count && units.values[start..<(start + data.count)].elementsEqual(data)
        if isData { start += data.count }
        var end = start
        while let next = value(end) {
            if isData ? next == 0x5D && value(end + 1) == 0x5D && value(end + 2) == 0x3E : next == 0x3C { break }
            end += 1
        }
        return start..<end
    }

    /// Skips the characters between a name and its value: `" : @"`, `\":\"`, `] => `.
    private func valueStart(after end: Int) -> (index: Int, isEscaped: Bool)? {
        var index = end
        while index - end < 8, let next = value(index),
            isBlank(next) || isQuote(next) || next == 0x5C || next == 0x5D || next == 0x29
        {
            index += 1
        }
        guard let sign = value(index), sign == 0x3A || sign == 0x3D else { return nil }
        let isEscaped = isEscaped(index)
        index += 1
        while index - end < 16, let next = value(index), next == 0x3D || next == 0x3E || isBlank(next) { index += 1 }
        return (index, isEscaped)
    }

    /// The value that begins at `start`, without its quotes, and the index at which reading continues.
    private func extent(
        from start: Int,
        _ treatment: SensitiveNames.Treatment,
        field: Range<Int>,
        signIsEscaped: Bool
    ) -> (content: Range<Int>, end: Int, quoted: Bool) {
        var index = start
        if value(index) == 0x40 { index += 1 }
        var slashes = 0
        while value(index) == 0x5C {
            slashes += 1
            index += 1
        }
        if let quote = value(index), isQuote(quote) {
            let end = closingQuote(from: index + 1, like: quote, slashes: slashes, limit: limit(for: treatment))
            return ((index + 1)..<end, min(end + 1, units.count), true)
        }
        if let bracket = value(index), bracket == 0x7B || bracket == 0x5B {
            // The marker of an earlier scrubbing begins like a list.
            guard reachesOverBrackets(treatment, bracket), !startsWithMarker(index) else {
                return (index..<index, index, false)
            }
            let end = closingBracket(from: index)
            return (index..<end, end, true)
        }
        let isParameter = [0x26, 0x3F].contains(value(field.lowerBound - 1) ?? 0)
        let end = unquotedEnd(from: index, treatment, isParameter: isParameter, signIsEscaped: signIsEscaped)
        return (index..<end, end, false)
    }

    /// The maximum length of a value. A value that is always removed may have any length, because it is not read again.
    /// A value that may turn out to be harmless is read again, so its length is bounded.
    private func limit(for treatment: SensitiveNames.Treatment) -> Int {
        switch treatment {
        case .drop(.credential), .drop(.cardholder), .dropScalar, .digest: .max
        default: 256
        }
    }

    /// The values in a list have no names to classify them; those in an object do.
    private func reachesOverBrackets(_ treatment: SensitiveNames.Treatment, _ bracket: UInt32) -> Bool {
        switch treatment {
        case .drop: true
        case .dropScalar: bracket == 0x5B
        default: false
        }
    }

    private func startsWithMarker(_ index: Int) -> Bool {
        let marker = TextEdits.marker.unicodeScalars
        return index + marker.count <= units.count
            && units.values[index..<(index + marker.count)].elementsEqual(marker.map(\.value))
    }

    /// The next matching quote that is not escaped more deeply than the opening quote; the end of the line if there is
    /// none.
    private func closingQuote(from start: Int, like quote: UInt32, slashes: Int, limit: Int) -> Int {
        let closing: UInt32 = quote == 0x201C ? 0x201D : quote == 0x2018 ? 0x2019 : quote
        var index = start
        var run = 0
        while let next = value(index), !isLineEnd(next), index - start < limit {
            if next == closing, run <= slashes { return index - run }
            run = next == 0x5C ? run + 1 : 0
            index += 1
        }
        return index
    }

    private func closingBracket(from start: Int) -> Int {
        var depth = 0
        var index = start
        while let next = value(index) {
            if next == 0x7B || next == 0x5B { depth += 1 }
            if next == 0x7D || next == 0x5D { depth -= 1 }
            index += 1
            if depth == 0 { break }
        }
        return index
    }

    private func unquotedEnd(
        from start: Int,
        _ treatment: SensitiveNames.Treatment,
        isParameter: Bool,
        signIsEscaped: Bool
    ) -> Int {
        let isCardNumber = treatment == .maskCardNumber || treatment == .maskAccount
        let toLineEnd = treatment == .dropScalar(.credential)
        // Only passwords contain punctuation.
        let isCredential = treatment == .drop(.credential)
        let limit = limit(for: treatment)
        var index = start
        while let next = value(index), index - start < limit {
            // In `a=b%26c&d=e` the escaped ampersand belongs to the value.
            guard isEscaped(index) == signIsEscaped else {
                index += 1
                continue
            }
            if isLineEnd(next) { break }
            if next == 0x3C || next == 0x26 && (isParameter || !isCredential) { break }
            if !toLineEnd {
                if isBlank(next) || next == 0x22 {
                    let joins =
                        isCardNumber && isBlank(next) && units.kinds[index - 1] < 10 && (value(index + 1) ?? 0) >= 0x30
                        && index + 1 < units.count && units.kinds[index + 1] < 10
                    if !joins { break }
                }
                // , ; and the Greek question mark, which looks the same, } ) ]
                if [0x2C, 0x3B, 0x37E, 0x7D, 0x29, 0x5D].contains(next) {
                    let after = value(index + 1)
                    if !isCredential || after == nil || after.map({ isBlank($0) || isLineEnd($0) }) == true { break }
                }
            }
            index += 1
        }
        return index
    }
}
