import Canonical
package import HTTPTypes
import Synchronization

/// The id of a request that the client, the log and a problem document share.
package enum CorrelationID {
    /// The id the client sent, if it is well-formed: `X-Request-Id`, else the trace id of `traceparent`.
    package static func sent(in fields: HTTPFields) -> String? {
        let ids = fields[values: .requestID]
        if ids.count == 1, isWellFormed(ids[0]) { return ids[0] }
        return fields[.traceParent].flatMap(traceID)
    }

    /// Whether an id is 1 to 64 letters, digits, dots, hyphens and underscores: safe in a log, a header field and a
    /// document.
    package static func isWellFormed(_ id: String) -> Bool {
        (1...64).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    private static let entropy = Mutex(SystemEntropy())

    /// 32 random hexadecimal digits.
    package static func random() -> String {
        let words = entropy.withLock { [$0.next(), $0.next()] }
        return String(unsafeUninitializedCapacity: 32) { digits in
            for index in 0..<32 {
                let shift = UInt64(60 - index % 16 * 4)
                digits[index] = HexadecimalDigits.lowercase(UInt8(truncatingIfNeeded: words[index / 16] >> shift & 0xF))
            }
            return 32
        }
    }

    /// The trace id of W3C Trace Context: version, trace id, parent id and flags in lower-case hexadecimal digits.
    private static func traceID(_ field: String) -> String? {
        let parts = field.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 4, parts.map(\.count) == [2, 32, 16, 2], parts[0] != "ff",
            parts.joined().utf8.allSatisfy({
                (0x30...0x39).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }), parts[1].contains(where: { $0 != "0" })
        else { return nil }
        return String(parts[1])
    }
}
