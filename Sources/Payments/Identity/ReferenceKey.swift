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
    }

    /// Nil for the app's own references, which are not any vendor's.
    package let vendor: Vendor?
    package let scheme: Scheme
    package let value: String

    package init(vendor: Vendor?, scheme: Scheme, value: String) {
        self.vendor = vendor
        self.scheme = scheme
        self.value = value
    }

    /// One line that is equal exactly when the keys are: `vendor:scheme:value`.
    package var text: String { "\(vendor?.rawValue ?? "app"):\(scheme.rawValue):\(value)" }
}
