extension JSONValue {
    /// The canonical text: no spaces, members in their order, numbers as written, in strings only `"`, `\` and control
    /// characters escaped, with the short escape if there is one.
    package var text: String {
        String(decoding: canonicalBytes, as: UTF8.self)
    }

    /// `text` as UTF-8.
    package var canonicalBytes: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// The canonical text with the members of every object sorted by the UTF-8 bytes of their names: for digests that
    /// must not depend on the order a sender chose. Numbers stay as written.
    package var sortedText: String {
        var bytes: [UInt8] = []
        append(to: &bytes, sorted: true)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the canonical text as UTF-8.
    package func append(to bytes: inout [UInt8]) {
        append(to: &bytes, sorted: false)
    }

    private func append(to bytes: inout [UInt8], sorted: Bool) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(true): bytes.append(contentsOf: "true".utf8)
        case .bool(false): bytes.append(contentsOf: "false".utf8)
        case .number(let number): bytes.append(contentsOf: number.literal.utf8)
        case .string(let text): Self.appendQuoted(text, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            var isFirst = true
            for element in elements {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                element.append(to: &bytes, sorted: sorted)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            let (keys, values, shared) = (object.keys, object.values, object.sharedNames)
            var order: [Int]?
            if sorted { order = shared?.sorted ?? keys.indices.sorted { keys[$0].precedesByUTF8(keys[$1]) } }
            bytes.append(UInt8(ascii: "{"))
            for index in values.indices {
                let position = order?[index] ?? index
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                if let shared {
                    shared.appendWritten(position, to: &bytes)
                } else {
                    Self.appendQuoted(keys[position], to: &bytes)
                    bytes.append(UInt8(ascii: ":"))
                }
                values[position].append(to: &bytes, sorted: sorted)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    /// Appends `text` as a JSON string, quotation marks included.
    package static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        text.withUTF8 { appendQuoted(utf8: $0, to: &bytes) }
    }

    /// Appends well-formed UTF-8 as a JSON string, quotation marks included.
    package static func appendQuoted(utf8 source: UnsafeBufferPointer<UInt8>, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        if let base = source.baseAddress {
            var position = 0
            while true {
                let special = ByteScan.firstSpecial(base, from: position, to: source.count).position
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: source[position..<special]))
                guard special < source.count else { break }
                appendEscape(of: source[special], to: &bytes)
                position = special + 1
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func appendEscape(of byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(HexadecimalDigits.lowercase(byte >> 4))
            bytes.append(HexadecimalDigits.lowercase(byte & 0xF))
        }
    }
}
