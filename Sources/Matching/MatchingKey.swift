/// Something that a movement of the ledger and a line of a statement may have in common.
package enum MatchingKey: String, Sendable, Hashable, Codable, CaseIterable {
    /// The gateway's id of the payment or refund; the processor's of the line.
    case gatewayID = "gateway-id"
    /// The host's id of the payment.
    case hostID = "host-id"
    /// The id that the SDK or terminal gave the payment.
    case vendorID = "vendor-id"
    /// The gateway's id of the payment that a refund gives back; what the line names as its origin.
    case originID = "origin-id"
    /// The gateway's id of the payment that a refund gives back, as the processor's id of the line: Adyen reports a refund
    /// under the reference of its payment (docs.adyen.com, settlement details report), Stripe under its charge
    /// (docs.stripe.com, payout reconciliation report).
    case originalID = "original-id"
    /// What a line names beside its own id, and the payment or refund itself. Adyen's modification reference and Stripe's
    /// source are the refund's own id; elsewhere it is the payment's.
    case relatedID = "related-id"
    /// Retrieval reference number.
    case rrn
    case authorizationCode = "auth-code"
    case lastFour = "last-four"
    /// The host's number of the payment, as the line's trace.
    case trace
    case invoice
    /// The app's own name for the payment, as the line's invoice.
    case reference
    case merchant
    case terminal
    case batch

    /// Whether it names something else after a while: counters do, and what people and apps number by themselves.
    package var comesAgain: Bool {
        switch self {
        case .gatewayID, .hostID, .vendorID, .originID, .originalID, .relatedID: false
        case .rrn, .authorizationCode, .lastFour, .trace, .invoice, .reference, .merchant, .terminal, .batch: true
        }
    }

    /// The column of the ledger's movements.
    package var ledgerColumn: String {
        switch self {
        case .gatewayID, .relatedID: "gateway_id"
        case .hostID, .trace: "host_id"
        case .vendorID: "vendor_id"
        case .originID, .originalID: "origin_id"
        case .rrn: "rrn"
        case .authorizationCode: "auth_code"
        case .lastFour: "last_four"
        case .invoice: "invoice"
        case .reference: "reference"
        case .merchant: "merchant"
        case .terminal: "terminal"
        case .batch: "batch"
        }
    }

    /// The column of the lines of statements.
    package var lineColumn: String {
        switch self {
        case .gatewayID, .hostID, .vendorID, .originalID: "processor_id"
        case .originID, .relatedID: "related_id"
        case .rrn: "rrn"
        case .authorizationCode: "auth_code"
        case .lastFour: "last_four"
        case .trace: "trace"
        case .invoice, .reference: "invoice"
        case .merchant: "merchant"
        case .terminal: "terminal"
        case .batch: "batch"
        }
    }
}
