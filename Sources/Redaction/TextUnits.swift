/// A text split for scanning, one unit per decoded character, so that `%34`, `\u0034`, `４` and `4` are all the digit
/// four. Every unit has the range of its scalars in the source.
struct TextUnits {
    /// Digits are 0...9; `separator` and `other` are the further kinds.
    typealias Kind = UInt8
    static let separator: Kind = 10
    static let other: Kind = 11

    let scalars: [Unicode.Scalar]
    /// The decoded character of each unit.
    private(set) var values: [UInt32] = []
    /// A digit's value, `separator` or `other`.
    private(set) var kinds: [Kind] = []
    /// The index of each unit's first scalar in `scalars`, with one extra entry at the end.
    private(set) var starts: [Int] = []
    /// True if a unit stands for more than one scalar.
    private(set) var hasEscapes = false

    var count: Int { values.count }

    /// - Parameter decodingEscapes: False to read percent and `\u` escapes literally.
    init(_ scalars: [Unicode.Scalar], decodingEscapes: Bool) {
        self.scalars = scalars
        values.reserveCapacity(scalars.count)
        kinds.reserveCapacity(scalars.count)
        starts.reserveCapacity(scalars.count + 1)
        var index = 0
        while index < scalars.count {
            starts.append(index)
            var value = scalars[index].value
            var width = 1
            if decodingEscapes, let escape = Self.escape(in: scalars, at: index) {
                value = escape.value
                width = escape.width
                hasEscapes = true
            }
            values.append(value)
            kinds.append(Self.kind(of: value))
            index += width
        }
        starts.append(scalars.count)
        protectIdentifiers()
        markThousands()
    }

    private static func hex(_ scalar: UInt32) -> UInt32? {
        switch scalar {
        case 0x30...0x39: scalar - 0x30
        case 0x41...0x46: scalar - 0x41 + 10
        case 0x61...0x66: scalar - 0x61 + 10
        default: nil
        }
    }

    /// Decodes `%XX` for an ASCII character, even if the percent sign itself is encoded several times, `%C2%A0`, and
    /// `\uXXXX`.
    ///
    /// Escapes above ASCII are not decoded: `%B4111...` is the start of a track, not an accent.
    private static func escape(in scalars: [Unicode.Scalar], at start: Int) -> (value: UInt32, width: Int)? {
        func digit(_ index: Int) -> UInt32? { index < scalars.count ? hex(scalars[index].value) : nil }
        if scalars[start] == "%" {
            var index = start + 1
            // At most eight layers, so that a long run of `%25` is not read again from each of its places.
            for _ in 0..<8 {
                guard digit(index) == 2, digit(index + 1) == 5, let high = digit(index + 2), digit(index + 3) != nil,
                    (2...7).contains(high)
                else { break }
                index += 2
            }
            guard let high = digit(index), let low = digit(index + 1) else { return nil }
            let value = high * 16 + low
            if value == 0xC2, index + 4 < scalars.count, scalars[index + 2] == "%", digit(index + 3) == 10,
                digit(index + 4) == 0
            {
                return (0xA0, index + 5 - start)
            }
            return value < 0x80 ? (value, index + 2 - start) : nil
        }
        if scalars[start] == "\\", start + 1 < scalars.count, scalars[start + 1] == "u" {
            var value: UInt32 = 0
            for offset in 2...5 {
                guard let next = digit(start + offset) else { return nil }
                value = value * 16 + next
            }
            return (value, 6)
        }
        return nil
    }

    private static func kind(of value: UInt32) -> Kind {
        if value < 0x80 {
            switch value {
            case 0x30...0x39: return Kind(value - 0x30)
            // Space, tab, plus (a space in forms), minus, full stop, underscore; NUL, from UTF-16 text.
            case 0x20, 0x09, 0x2B, 0x2D, 0x2E, 0x5F, 0x00: return separator
            default: return other
            }
        }
        switch value {
        case 0xA0, 0xAD, 0xB7, 0x2000...0x2015, 0x202F, 0x205F, 0x2060, 0x2212, 0x3000, 0xFE58, 0xFE63, 0xFEFF, 0xFF0D,
            0xFF0E:
            return separator
        default: break
        }
        guard let scalar = Unicode.Scalar(value), scalar.properties.numericType == .decimal,
            let number = scalar.properties.numericValue
        else { return other }
        return Kind(number)
    }

    /// UUIDs and Daybook's digests are hexadecimal digits; they are never card numbers.
    private mutating func protectIdentifiers() {
        var index = 0
        while index < count {
            if let end = endOfUUID(at: index) ?? endOfDigest(at: index) {
                for place in index..<end { kinds[place] = Self.other }
                index = end
            } else {
                index += 1
            }
        }
    }

    /// The same units, with declared identifiers of their declared shape marked as `other`.
    func keepingIdentifiers(declaredBy schema: RedactionSchema) -> TextUnits {
        var units = self
        for range in NamedValueScanner.identifiers(in: self, declaredBy: schema) {
            for place in range { units.kinds[place] = Self.other }
        }
        return units
    }

    private func isAlphanumeric(_ index: Int) -> Bool {
        guard index >= 0, index < count else { return false }
        let value = values[index]
        return (0x30...0x39).contains(value) || (0x41...0x5A).contains(value) || (0x61...0x7A).contains(value)
    }

    /// The end of a separate UUID in RFC 9562 text form with a known version and variant.
    private func endOfUUID(at start: Int) -> Int? {
        let end = start + 36
        guard end <= count, values[start + 8] == 0x2D, values[start + 13] == 0x2D, values[start + 18] == 0x2D,
            values[start + 23] == 0x2D
        else { return nil }
        for offset in 0..<36 where ![8, 13, 18, 23].contains(offset) {
            guard Self.hex(values[start + offset]) != nil else { return nil }
        }
        guard (0x31...0x38).contains(values[start + 14]), let variant = Self.hex(values[start + 19]),
            (8...11).contains(variant)
        else { return nil }
        func isPart(_ near: Int, _ far: Int) -> Bool {
            isAlphanumeric(near)
                || near >= 0 && near < count && values[near] == 0x2D && isAlphanumeric(far) && kinds[far] < 10
        }
        return isPart(start - 1, start - 2) || isPart(end, end + 1) ? nil : end
    }

    /// The end of `sha256:` and 64 hexadecimal digits with at least eight letters, as almost every real digest has.
    private func endOfDigest(at start: Int) -> Int? {
        let end = start + 71
        guard end <= count, values[start] == 0x73, values[start + 6] == 0x3A,
            values[start..<(start + 7)].elementsEqual([0x73, 0x68, 0x61, 0x32, 0x35, 0x36, 0x3A])
        else { return nil }
        var letters = 0
        for place in (start + 7)..<end {
            guard Self.hex(values[place]) != nil else { return nil }
            if values[place] >= 0x41 { letters += 1 }
        }
        return letters >= 8 && !isAlphanumeric(end) ? end : nil
    }

    /// A comma joins digits only as a number formatter writes it: before exactly three digits.
    private mutating func markThousands() {
        for index in values.indices where values[index] == 0x2C && index > 0 && kinds[index - 1] < 10 {
            let group = (index + 1)..<(index + 4)
            guard group.upperBound <= count, group.allSatisfy({ kinds[$0] < 10 }),
                group.upperBound == count || kinds[group.upperBound] > 9
            else { continue }
            kinds[index] = Self.separator
        }
    }
}
