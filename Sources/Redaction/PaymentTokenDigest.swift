import Crypto

/// The stored form of a gateway's payment token: equal for equal tokens, useless to a thief.
package enum PaymentTokenDigest {
    /// `sha256:` and the digest of the token's UTF-8 text in lower-case hexadecimal.
    package static func text(of token: String) -> String {
        var text = "sha256:"
        for byte in SHA256.hash(data: Array(token.utf8)) {
            for nibble in [byte >> 4, byte & 15] {
                text.unicodeScalars.append(Unicode.Scalar(nibble < 10 ? nibble + 0x30 : nibble + 0x57))
            }
        }
        return text
    }
}
