import Canonical
import Crypto

/// A name for a transaction in another system: a gateway's id, a retrieval reference number, the app's reference.
/// Within one tenant a key leads to exactly one transaction, permanently.
package struct ReferenceKey: Sendable, Hashable, Codable {
    /// The kind of name.
    package enum Scheme: String, Sendable, Hashable, Codable {
        /// The merchant app's reference, sent as `transaction` beside the document.
        case app
        /// The gateway's id of the transaction; follow-ups carry it.
        case gatewayTransaction = "gateway-transaction"
        /// ISO 8583 field 37, the retrieval reference number.
        case retrievalReference = "rrn"
        /// The id given by the vendor's SDK or terminal.
        case vendorTransaction = "vendor-transaction"
        /// The digest of a wallet checkout's token.
        case checkoutToken = "checkout-token"
    }

    /// The longest value that a key's text contains unchanged, in bytes of UTF-8. Vendors do not limit their ids, and
    /// PostgreSQL indexes no key longer than about 2,700 bytes.
    package static let valueLimit = 255
    private static let digestMark = "sha256:"

    /// Nil for the app's references, which belong to no vendor.
    package let vendor: Vendor?
    package let scheme: Scheme
    package let value: String

    package init(vendor: Vendor?, scheme: Scheme, value: String) {
        self.vendor = vendor
        self.scheme = scheme
        self.value = value
    }

    /// One line whose bytes are equal exactly when the keys are equal: `vendor:scheme:value`. A value longer than
    /// `valueLimit` is replaced by its SHA-256 as `sha256:` and 64 hexadecimal digits. So is a value that begins with
    /// `sha256:`, because it could be mistaken for a digest.
    package var text: String {
        "\(vendor?.rawValue ?? "app"):\(scheme.rawValue):\(Self.bounded(value, toBytes: Self.valueLimit))"
    }

    /// The value, or `sha256:` and its digest if it is longer than `limit` bytes or begins with `sha256:`.
    package static func bounded(_ value: String, toBytes limit: Int) -> String {
        guard value.utf8.count > limit || value.utf8.starts(with: digestMark.utf8) else { return value }
        var digits: [UInt8] = Array(digestMark.utf8)
        for byte in SHA256.hash(data: Array(value.utf8)) {
            digits.append(HexadecimalDigits.lowercase(byte >> 4))
            digits.append(HexadecimalDigits.lowercase(byte & 0xF))
        }
        return String(decoding: digits, as: UTF8.self)
    }

    package static func == (left: ReferenceKey, right: ReferenceKey) -> Bool {
        left.vendor == right.vendor && left.scheme == right.scheme && left.value.hasSameUTF8(as: right.value)
    }
}
