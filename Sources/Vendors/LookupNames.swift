/// The names by which a vendor's gateway can be queried for a payment that Daybook did not send.
package struct LookupNames: Sendable, Hashable {
    /// The id the gateway gave the payment.
    package var gatewayTransaction: String?
    /// The reference the payment was sent with.
    package var reference: String?
    /// True if the gateway was certainly given these names. If not, a gateway that does not find the payment proves
    /// nothing.
    package var isCertain: Bool

    package init(gatewayTransaction: String? = nil, reference: String? = nil, isCertain: Bool = true) {
        self.gatewayTransaction = gatewayTransaction
        self.reference = reference
        self.isCertain = isCertain
    }
}

/// How well the name that a gateway is queried by identifies the payment.
package enum LookupProof: Sendable, Hashable, CaseIterable {
    /// Daybook made it, and gave it to nothing else.
    case own
    /// The vendor's own id.
    case vendors
    /// An invoice number, or the reference of a till: it may come again on another day, or in another batch.
    case reusable
}

/// The invoice number that a gateway is queried by if there is no better name.
package enum LookupInvoice: Sendable, Hashable {
    /// The app's number.
    case reported
    /// Daybook's number, made of the reference of Daybook's call.
    case own

    /// The proof of a query by the vendor's id, or by the invoice number where there is no id.
    package static func proof(_ invoice: LookupInvoice?) -> LookupProof {
        switch invoice {
        case nil: .vendors
        case .own?: .own
        case .reported?: .reusable
        }
    }
}
