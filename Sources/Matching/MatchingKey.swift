/// A property that a movement of the ledger and a line of a statement may share.
package enum MatchingKey: String, Sendable, Hashable, Codable, CaseIterable {
    /// The gateway's id of the payment or refund; on the line, the processor's id.
    case gatewayID = "gateway-id"
    /// The host's id of the payment.
    case hostID = "host-id"
    /// The id given by the SDK or terminal.
    case vendorID = "vendor-id"
    /// The gateway's id of the payment that a refund returns; on the line, the id of its origin.
    case originID = "origin-id"
    /// The gateway's id of the payment that a refund returns; on the line, the processor's id of the line. Adyen
    /// reports a refund under the reference of its payment (docs.adyen.com, settlement details report), Stripe under
    /// its charge (docs.stripe.com, payout reconciliation report).
    case originalID = "original-id"
    /// The gateway's id of the payment or refund itself; on the line, the id that it names beside its own id. Adyen's
    /// modification reference and Stripe's source are the refund's id; for other processors it is the payment's.
    case relatedID = "related-id"
    /// Retrieval reference number.
    case rrn
    case authorizationCode = "auth-code"
    case lastFour = "last-four"
    /// The host's number of the payment; on the line, the trace.
    case trace
    case invoice
    /// The app's name for the payment; on the line, the invoice.
    case reference
    case merchant
    case terminal
    case batch

    /// True if the value is reused for another payment after some time, as counters are, and numbers that users and
    /// apps assign.
    package var comesAgain: Bool {
        switch self {
        case .gatewayID, .hostID, .vendorID, .originID, .originalID, .relatedID: false
        case .rrn, .authorizationCode, .lastFour, .trace, .invoice, .reference, .merchant, .terminal, .batch: true
        }
    }

    /// The column in the ledger's movements.
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

    /// The column in the statements' lines.
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
