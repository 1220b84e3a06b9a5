import Crypto

/// The name of a call at its gateway, made of the name Daybook has for it.
///
/// Gateways that take names that long have the same one. For others it is the beginning of the SHA-256 of that name in base 32, in
/// digits and lower-case letters: the same on every server, for payments and whatever follows them. Of n names that are cut to k
/// characters two are the same with a probability of at most n²/2^(5k+1): with the twenty characters of iPOS Transact and a thousand
/// million calls less than 1 in 10^12. Should it happen the gateway refuses the second call, or the log does.
package struct CallReference: Sendable, Hashable {
    /// What Daybook calls it.
    package let id: String
    private let digest: String

    /// The shortest that is told from others by its beginning.
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

    /// - Parameter longest: How many characters the gateway takes, at least 16.
    package func text(of longest: Int) -> String {
        id.utf8.count <= longest ? id : String(digest.prefix(max(longest, Self.shortest)))
    }

    /// What this gateway has for it.
    package func text(at gateway: any PaymentGateway) -> String { text(of: gateway.longestReference) }

    /// True where a gateway has it for this one.
    package func isReported(as text: String) -> Bool {
        text == id || text.utf8.count >= Self.shortest && text.utf8.count < id.utf8.count && digest.hasPrefix(text)
    }
}
