import Crypto

/// A call's name at its gateway, derived from Daybook's name for it.
///
/// Gateways that accept names of this length receive the same name. Others receive a prefix of its SHA-256 in base 32,
/// in digits and lower-case letters: the same on every server, for payments and their follow-ups. Two of n names cut to
/// k characters are equal with a probability of at most n²/2^(5k+1): for the twenty characters of iPOS Transact and a
/// thousand million calls, less than 1 in 10^12. In that case the gateway refuses the second call, or the log does.
package struct CallReference: Sendable, Hashable {
    /// Daybook's name for the call.
    package let id: String
    private let digest: String

    /// The shortest prefix that distinguishes a name from others.
    private static let shortest = 16
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz")

    package init(_ id: String) {
        self.id = id
        var text = ""
        var (bits, count) = (0, 0)
        for byte in SHA256.hash(data: Array(id.utf8)) {
            bits = (bits & 0x1F) << 8 | Int(byte)
            count += 8
            while count >= 5 {
                count -= 5
                text.append(Self.digits[bits >> count & 0x1F])
            }
        }
        digest = text
    }

    /// - Parameter longest: The maximum number of characters that the gateway accepts, at least 16.
    package func text(of longest: Int) -> String {
        id.utf8.count <= longest ? id : String(digest.prefix(max(longest, Self.shortest)))
    }

    package func text(at gateway: GatewayAccount) -> String { text(of: gateway.longestReference) }

    /// True if `text` is a gateway's name for this call.
    package func isReported(as text: String) -> Bool {
        text == id || text.utf8.count >= Self.shortest && text.utf8.count < id.utf8.count && digest.hasPrefix(text)
    }
}
