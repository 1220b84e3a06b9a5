package import HTTPTypes

/// A request line and header section in the strict subset of RFC 9112 that the edge accepts.
package struct RequestHead: Sendable, Hashable {
    /// How the body is delimited on the wire.
    package enum Framing: Sendable, Hashable {
        /// No body follows.
        case none
        /// Exactly this many bytes follow; at least one.
        case length(Int)
        /// Chunked transfer coding.
        case chunked
    }

    package let method: HTTPRequest.Method
    /// The origin-form target (or `*` for OPTIONS): printable ASCII, starts with `/`, has no fragment.
    package let target: String
    /// False for HTTP/1.0.
    package let isVersion11: Bool
    package let fields: HTTPFields
    package let framing: Framing
    /// Whether the client allows the connection to be reused.
    package let keepsAlive: Bool

    /// The methods that are known; every other one is answered with 501.
    static let methods: [String: HTTPRequest.Method] = [
        "GET": .get, "HEAD": .head, "POST": .post, "PUT": .put, "PATCH": .patch, "DELETE": .delete,
        "OPTIONS": .options,
    ]
}

extension RequestHead {
    /// The parts of a request line.
    struct Line: Sendable {
        let method: HTTPRequest.Method
        let target: String
        let isVersion11: Bool
    }

    /// Reads `method SP target SP version`, without the line ending.
    static func line(_ bytes: [UInt8]) throws(GateRefusal) -> Line {
        let parts = bytes.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte) else {
            throw .malformedRequestLine
        }
        // Visible ASCII only; a fragment is never sent in a request.
        guard !parts[1].isEmpty, parts[1].allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw .malformedRequestLine
        }
        let version = parts[2]
        guard version.count == 8, version.starts(with: Array("HTTP/".utf8)), version.dropFirst(6).first == 0x2E,
            let major = version.dropFirst(5).first, let minor = version.last,
            (0x30...0x39).contains(major), (0x30...0x39).contains(minor)
        else { throw .malformedRequestLine }
        guard major == 0x31, minor == 0x30 || minor == 0x31 else { throw .versionNotSupported }
        guard let method = methods[String(decoding: parts[0], as: UTF8.self)] else { throw .methodNotImplemented }
        // The absolute form names a second host beside the Host field, so only the origin form is accepted.
        let target = String(decoding: parts[1], as: UTF8.self)
        guard target.utf8.first == UInt8(ascii: "/") || (target == "*" && method == .options) else {
            throw .malformedRequestLine
        }
        return Line(method: method, target: target, isVersion11: minor == 0x31)
    }

    /// Reads `name: value`, without the line ending; `bytes` contain no control byte except tabs.
    static func field(_ bytes: [UInt8]) throws(GateRefusal) -> HTTPField {
        if bytes.first == 0x20 || bytes.first == 0x09 { throw .foldedField }
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0, bytes[..<colon].allSatisfy(isTokenByte),
            let name = HTTPField.Name(String(decoding: bytes[..<colon], as: UTF8.self))
        else { throw .malformedField }
        var value = bytes[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        return HTTPField(name: name, value: value)
    }

    /// Checks the whole header section.
    init(line: Line, fields: HTTPFields) throws(GateRefusal) {
        let hosts = fields[fields: .host]
        if hosts.count > 1 { throw .hostRepeated }
        if let host = hosts.first {
            guard !host.value.isEmpty, host.value.utf8.allSatisfy(Self.isHostByte) else { throw .hostMalformed }
        } else if line.isVersion11 {
            throw .hostMissing
        }
        self.framing = try Self.framing(fields, isVersion11: line.isVersion11)
        let options = fields[fields: .connection].flatMap { field in
            field.value.split(separator: ",").map { $0.trimmed.lowercased() }
        }
        // HTTP/1.0 keep-alive is not offered: intermediaries disagree on its framing rules.
        self.keepsAlive = line.isVersion11 && !options.contains("close")
        self.method = line.method
        self.target = line.target
        self.isVersion11 = line.isVersion11
        self.fields = fields
    }

    /// RFC 9112 section 6.3, with every ambiguous combination refused rather than resolved.
    private static func framing(_ fields: HTTPFields, isVersion11: Bool) throws(GateRefusal) -> Framing {
        let lengths = fields[fields: .contentLength]
        let codings = fields[fields: .transferEncoding]
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw .framingAmbiguous }
            guard isVersion11, codings.count == 1, codings[0].value.lowercased() == "chunked" else {
                throw .transferEncodingUnsupported
            }
            return .chunked
        }
        guard let length = lengths.first else { return .none }
        guard lengths.count == 1 else { throw .contentLengthRepeated }
        let digits = length.value.utf8
        guard (1...18).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }),
            let count = Int(length.value)
        else { throw .contentLengthMalformed }
        return count == 0 ? .none : .length(count)
    }

    /// RFC 9110 section 5.6.2 `tchar`.
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    /// The bytes of a registered name, an address literal and a port (RFC 3986 sections 3.2.2 and 3.2.3).
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"),
            UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "%"):
            true
        default: false
        }
    }
}

extension HTTPField.Name {
    /// swift-http-types represents `Host` by its pseudo header; on the HTTP/1.1 wire it is an ordinary field.
    static let host = HTTPField.Name("Host")!  // a literal token
}

extension StringProtocol {
    /// The text without surrounding blanks and tabs (RFC 9110 `OWS`).
    var trimmed: String {
        var rest = Substring(self)
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return String(rest)
    }
}
