/// A path and query, percent-decoded exactly once.
package struct RequestTarget: Sendable, Hashable {
    /// The segments of the path, decoded after they were separated: an encoded `/` stays within its segment.
    package let segments: [String]
    /// The parameters of the query in order, decoded as `application/x-www-form-urlencoded`.
    package let parameters: [Parameter]

    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    /// The largest number of query parameters that are read.
    static let parameterLimit = 64

    /// Reads an origin-form target.
    ///
    /// - Throws: `malformed-target` for an invalid escape, for bytes that are not UTF-8 (an overlong form is not), for
    ///   control characters in any spelling, for dot segments and for too many parameters.
    package init(_ target: String) throws(Problem) {
        let parts = target.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first, path.first == UInt8(ascii: "/") else { throw .malformedTarget }
        var segments: [String] = []
        if path.count > 1 {
            for raw in path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
                let segment = try Self.decode(raw, plusIsSpace: false)
                guard segment != ".", segment != ".." else { throw .malformedTarget }
                segments.append(segment)
            }
        }
        var parameters: [Parameter] = []
        if parts.count > 1 {
            for pair in parts[1].split(separator: UInt8(ascii: "&")) {
                guard parameters.count < Self.parameterLimit else { throw .malformedTarget }
                let sides = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                let name = try Self.decode(sides[0], plusIsSpace: true)
                let value = sides.count > 1 ? try Self.decode(sides[1], plusIsSpace: true) : ""
                parameters.append(Parameter(name: name, value: value))
            }
        }
        self.segments = segments
        self.parameters = parameters
    }

    private static func decode(_ raw: Substring.UTF8View, plusIsSpace: Bool) throws(Problem) -> String {
        // Most targets are printable ASCII without escapes.
        let isPlain = raw.allSatisfy { byte in
            (0x20..<0x7F).contains(byte) && byte != UInt8(ascii: "%") && !(plusIsSpace && byte == UInt8(ascii: "+"))
        }
        if isPlain { return String(Substring(raw)) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var rest = raw[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
                else { throw .malformedTarget }
                bytes.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace:
                bytes.append(0x20)
            default:
                bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self),
            text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .malformedTarget }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
