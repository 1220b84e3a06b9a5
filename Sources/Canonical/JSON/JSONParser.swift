extension JSONValue {
    /// Reads a document strictly by RFC 8259: one value, well-formed UTF-8, no byte order mark, no member name twice,
    /// no lone surrogates, only white space around it.
    ///
    /// - Throws: the error and its offset, without any of the input.
    package init(
        parsing bytes: some Collection<UInt8>,
        limits: JSONLimits = .standard
    ) throws(JSONParseError) {
        let parsed =
            bytes.withContiguousStorageIfAvailable { JSONParser.parse($0, limits) }
            ?? Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, limits) }
        self = try parsed.get()
    }

    /// Reads a document from text, by the same rules.
    package init(parsing text: String, limits: JSONLimits = .standard) throws(JSONParseError) {
        try self.init(parsing: text.utf8, limits: limits)
    }
}

/// One pass over the bytes of a document.
private struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var position = 0
    private var depth = 0
    /// The buffer in which strings with escapes are decoded.
    private var scratch: [UInt8] = []
    /// The names of the members of the objects that have begun.
    private var names: [ReadName] = []

    private struct ReadName {
        /// The position of its quotation mark.
        let start: Int
        /// The bytes of a plain name.
        let bytes: Range<Int>
        /// A name with escapes, or outside of ASCII.
        let decoded: String?
    }

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ limits: JSONLimits
    ) -> Result<JSONValue, JSONParseError> {
        guard bytes.count <= limits.maximumBytes else {
            return .failure(JSONParseError(.tooLarge, offset: limits.maximumBytes))
        }
        var parser = JSONParser(bytes, limits)
        do {
            return .success(try parser.document())
        } catch {
            return .failure(error)
        }
    }

    private mutating func document() throws(JSONParseError) -> JSONValue {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw JSONParseError(.byteOrderMark, offset: 0) }
        let value = try value()
        skipWhiteSpace()
        guard position == bytes.count else { throw JSONParseError(.trailingData, offset: position) }
        return value
    }

    private mutating func value() throws(JSONParseError) -> JSONValue {
        switch try nextByte() {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw JSONParseError(.unexpectedByte, offset: position)
        }
    }

    private mutating func object() throws(JSONParseError) -> JSONObject {
        try descend()
        if try nextByte() == UInt8(ascii: "}") {
            ascend()
            return JSONObject()
        }
        let first = names.count
        var values: [JSONValue] = []
        do {
            try members(&values)
        } catch {
            // A name that was repeated before is the first fault.
            _ = try distinct(names[first..<first + values.count])
            throw error
        }
        let list = try list(names[first...])
        names.removeSubrange(first...)
        return JSONObject(list, values: values)
    }

    private mutating func members(_ values: inout [JSONValue]) throws(JSONParseError) {
        repeat {
            guard try nextByte() == UInt8(ascii: "\"") else { throw JSONParseError(.unexpectedByte, offset: position) }
            names.append(try name())
            guard try nextByte() == UInt8(ascii: ":") else { throw JSONParseError(.unexpectedByte, offset: position) }
            position += 1
            values.append(try value())
        } while try !isAtEnd(of: UInt8(ascii: "}"))
    }

    private mutating func name() throws(JSONParseError) -> ReadName {
        let start = position
        if let base = bytes.baseAddress {
            let plain = ByteScan.firstSpecial(base, from: start + 1, to: bytes.count)
            if plain.isASCII, plain.position < bytes.count, bytes[plain.position] == UInt8(ascii: "\"") {
                position = plain.position + 1
                return ReadName(start: start, bytes: start + 1..<plain.position, decoded: nil)
            }
        }
        return ReadName(start: start, bytes: start..<start, decoded: try string())
    }

    private func plain(_ name: ReadName) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[name.bytes])
    }

    /// The names of an object in a list of one, shared with earlier objects if they are plain.
    private func list(_ names: ArraySlice<ReadName>) throws(JSONParseError) -> [NameList] {
        guard names.allSatisfy({ $0.decoded == nil }) else { return [try distinct(names)] }
        var hash = SharedNames.emptyHash
        for name in names { SharedNames.combine(plain(name), into: &hash) }
        let known = NameList.shared(hash) { shared in
            guard shared.count == names.count else { return false }
            var position = 0
            for name in names {
                guard shared.hasName(plain(name), at: position) else { return false }
                position += 1
            }
            return true
        }
        if let known { return known }
        return NameList.sharing(try distinct(names), hash)
    }

    private func distinct(_ names: ArraySlice<ReadName>) throws(JSONParseError) -> NameList {
        var list = NameList()
        for name in names {
            let key = name.decoded ?? String(decoding: plain(name), as: UTF8.self)
            guard list.position(of: key) == nil else { throw JSONParseError(.duplicateKey, offset: name.start) }
            list.append(key)
        }
        return list
    }

    private mutating func array() throws(JSONParseError) -> [JSONValue] {
        try descend()
        var elements: [JSONValue] = []
        if try nextByte() == UInt8(ascii: "]") {
            ascend()
            return elements
        }
        while true {
            elements.append(try value())
            if try isAtEnd(of: UInt8(ascii: "]")) { return elements }
        }
    }

    /// Skips the opening bracket.
    private mutating func descend() throws(JSONParseError) {
        guard depth < limits.maximumDepth else { throw JSONParseError(.depthExceeded, offset: position) }
        depth += 1
        position += 1
    }

    /// Skips the closing bracket.
    private mutating func ascend() {
        depth -= 1
        position += 1
    }

    /// Called after an element: skips a comma, or the closing bracket, and returns true for the latter.
    private mutating func isAtEnd(of closing: UInt8) throws(JSONParseError) -> Bool {
        let byte = try nextByte()
        if byte == closing {
            ascend()
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw JSONParseError(.unexpectedByte, offset: position) }
        position += 1
        return false
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONParseError) -> JSONValue {
        for offset in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position) }
            guard bytes[position] == word.utf8Start[offset] else {
                throw JSONParseError(.unexpectedByte, offset: position)
            }
            position += 1
        }
        return value
    }

    private mutating func number() throws(JSONParseError) -> JSONNumber {
        let start = position
        guard JSONNumber.scan(bytes, from: &position) else {
            throw JSONParseError(position < bytes.count ? .unexpectedByte : .unexpectedEnd, offset: position)
        }
        guard position - start <= limits.maximumNumberBytes else {
            throw JSONParseError(.numberTooLong, offset: start)
        }
        return JSONNumber(
            scanned: String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        )
    }

    private mutating func skipWhiteSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    /// The next byte that is not white space. The position stays at this byte.
    private mutating func nextByte() throws(JSONParseError) -> UInt8 {
        skipWhiteSpace()
        guard position < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position) }
        return bytes[position]
    }
}

// MARK: - Strings

extension JSONParser {
    /// The string whose opening quotation mark is at the position.
    private mutating func string() throws(JSONParseError) -> String {
        position += 1
        let start = position
        var isASCII = try skipPlainBytes()
        if bytes[position] == UInt8(ascii: "\"") {
            if !isASCII { try checkUTF8(from: start) }
            let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
            position += 1
            return text
        }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: bytes[start..<position])
        while bytes[position] != UInt8(ascii: "\"") {
            try escape()
            let plain = position
            if try !skipPlainBytes() { isASCII = false }
            scratch.append(contentsOf: bytes[plain..<position])
        }
        if !isASCII { try checkUTF8(from: start) }
        position += 1
        return String(decoding: scratch, as: UTF8.self)
    }

    /// Skips to the next quotation mark or backslash.
    ///
    /// - Returns: whether all skipped bytes are ASCII.
    private mutating func skipPlainBytes() throws(JSONParseError) -> Bool {
        guard let base = bytes.baseAddress else { throw JSONParseError(.unexpectedEnd, offset: position) }
        let plain = ByteScan.firstSpecial(base, from: position, to: bytes.count)
        position = plain.position
        guard position < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position) }
        guard bytes[position] >= 0x20 else { throw JSONParseError(.unexpectedByte, offset: position) }
        return plain.isASCII
    }

    /// Checks the raw text from `start` to the position. Escapes are ASCII and decode to whole characters, so the raw
    /// text is ill-formed exactly where the decoded one is. `String(decoding:)` then has nothing to repair.
    private func checkUTF8(from start: Int) throws(JSONParseError) {
        if let offset = ByteScan.firstInvalidUTF8(bytes[start..<position]) {
            throw JSONParseError(.invalidUTF8, offset: offset)
        }
    }

    /// Decodes the escape whose backslash is at the position into `scratch`.
    private mutating func escape() throws(JSONParseError) {
        let start = position
        position += 1
        guard position < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position) }
        let byte = bytes[position]
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(byte)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            return try unicodeEscape(from: start)
        default: throw JSONParseError(.unexpectedByte, offset: position)
        }
        position += 1
    }

    /// Decodes the digits at the position, and the second half of a surrogate pair if they are the first half.
    private mutating func unicodeEscape(from start: Int) throws(JSONParseError) {
        let unit = try hexadecimalUnit()
        var codePoint = UInt32(unit)
        if UTF16.isLeadSurrogate(unit) {
            guard try skipEscapeStart() else { throw JSONParseError(.loneSurrogate, offset: start) }
            let trail = try hexadecimalUnit()
            guard UTF16.isTrailSurrogate(trail) else { throw JSONParseError(.loneSurrogate, offset: start) }
            codePoint = 0x10000 + ((UInt32(unit) & 0x3FF) << 10) + (UInt32(trail) & 0x3FF)
        }
        guard let scalar = Unicode.Scalar(codePoint) else { throw JSONParseError(.loneSurrogate, offset: start) }
        scratch.append(contentsOf: scalar.utf8)
    }

    /// Skips `\u`, if it follows.
    private mutating func skipEscapeStart() throws(JSONParseError) -> Bool {
        guard position < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position) }
        guard bytes[position] == UInt8(ascii: "\\") else { return false }
        guard position + 1 < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position + 1) }
        guard bytes[position + 1] == UInt8(ascii: "u") else { return false }
        position += 2
        return true
    }

    private mutating func hexadecimalUnit() throws(JSONParseError) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard position < bytes.count else { throw JSONParseError(.unexpectedEnd, offset: position) }
            guard let digit = HexadecimalDigits.value(of: bytes[position]) else {
                throw JSONParseError(.unexpectedByte, offset: position)
            }
            unit = unit << 4 | UInt16(digit)
            position += 1
        }
        return unit
    }
}
