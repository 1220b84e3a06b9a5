import Canonical
import Crypto

/// A name under which somebody outside knows a transaction: a gateway's id, a retrieval reference number, the
/// app's own reference. Within one tenant a key leads to exactly one transaction for ever.
package struct ReferenceKey: Sendable, Hashable, Codable {
    /// What kind of name this is.
    package enum Scheme: String, Sendable, Hashable, Codable {
        /// The merchant app's own reference, sent as `transaction` beside the document.
        case app
        /// The id the vendor's gateway gave the transaction; follow-ups carry it.
        case gatewayTransaction = "gateway-transaction"
        /// ISO 8583 field 37, the retrieval reference number.
        case retrievalReference = "rrn"
        /// The id the vendor's SDK or terminal gave the transaction.
        case vendorTransaction = "vendor-transaction"
        /// The digest of the token of a wallet checkout.
        case checkoutToken = "checkout-token"
    }

    /// Longest value that stands in a name as it is, in bytes of UTF-8. Vendors bound their ids nowhere, and PostgreSQL
    /// indexes no key beyond some 2,700 bytes.
    package static let valueLimit = 255
    private static let digestMark = "sha256:"

    /// Nil for the app's own references, which are not any vendor's.
    package let vendor: Vendor?
    package let scheme: Scheme
    package let value: String

    package init(vendor: Vendor?, scheme: Scheme, value: String) {
        self.vendor = vendor
        self.scheme = scheme
        self.value = value
    }

    /// One line whose bytes are equal exactly when the keys are: `vendor:scheme:value`. In place of a value longer than
    /// `valueLimit` stands its SHA-256 as `sha256:` and 64 hexadecimal digits, and so for a value that begins like
    /// that, or it could be taken for another one.
    package var text: String {
        "\(vendor?.rawValue ?? "app"):\(scheme.rawValue):\(Self.bounded(value, toBytes: Self.valueLimit))"
    }

    /// The value, or `sha256:` and its digest where it is longer than `limit` bytes or begins like that.
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
