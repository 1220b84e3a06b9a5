import Canonical
import Payments

/// The app's request to PayGuardian: `BPNPaymentRequest`, `BPNTokenRequest` or `BPNFindRequest`.
struct BridgePayRequest {
    enum Kind: String, CaseIterable {
        case payment = "BPNPaymentRequest"
        case token = "BPNTokenRequest"
        case find = "BPNFindRequest"
    }

    let kind: Kind
    let fields: Fields
    /// Nil if the request does not name it.
    let operation: BridgePayOperation?
    /// False if the operation is only assumed; then the answer takes precedence.
    let isOperationReported: Bool
    let invoice: String?
    /// `pnRefNum`: the gateway's id of the original payment.
    let original: String?
    let tender: BridgePayTender?
    let account: String?
    let clerk: String?
    let tipRecipient: String?

    /// The follow-up that it asks for; nil for other requests. A credit that names an original is a refund of it.
    var followUp: FollowUp? {
        if operation == .credit { return original == nil ? nil : .refund }
        if case .followUp(let followUp)? = operation?.family { return followUp }
        return nil
    }

    init(_ fields: Fields, as kind: Kind) throws {
        self.kind = kind
        self.fields = fields
        (operation, isOperationReported) = try Self.operation(of: fields, as: kind)
        invoice = try fields.identifier("invoicenumber", "invoice")
        original = try fields.identifier(
            "pnrefnum",
            "originalreferencenumber",
            "gatewaytransid",
            "gatewaytransactionid"
        )
        account = try fields.identifier("merchantaccountcode", "merchantcode")
        // No fact depends on the clerk, so an unreadable name does not cause a refusal.
        clerk = (try? fields.text("clerkid")).flatMap { $0.isEmpty ? nil : $0 }
        tipRecipient = (try? fields.text("tiprecipientcode")).flatMap { $0.isEmpty ? nil : $0 }
        if let text = try fields.text("tendertype") {
            tender = BridgePayTender(text)
        } else if fields.has("walletpaymentmethodid") {
            tender = .wallet
        } else {
            tender = fields.has("bankaccountnumber") ? .check : nil
        }
    }

    /// A request for a PCI token that names an amount is a sale paid with that token, whatever its name. The guide's
    /// example of a sale with an `authenticationTokenId` is such a request.
    private static func operation(of fields: Fields, as kind: Kind) throws -> (BridgePayOperation?, isReported: Bool) {
        let hasAmount = fields.has("amount")
        let type = try fields.text("transactiontype")
        let named = type.flatMap { BridgePayOperation(transactionType: $0) }
        switch kind {
        case .find: return (.find, true)
        case .token: return (named ?? (hasAmount ? .sale : .token), named != nil && named != .token)
        case .payment:
            if named == .token && hasAmount { return (.sale, false) }
            // The short constructor sets no transaction type; PayGuardian then makes a sale.
            if type == nil && hasAmount { return (.sale, false) }
            return (named, named != nil)
        }
    }

    /// Whether the gateway may accept the payment although it looks like a duplicate.
    var isForced: Bool {
        get throws { try fields.flag("forceonduplicate") ?? false }
    }

    /// Whether a partial approval is allowed; nil if the request does not state it.
    var allowsPartialApproval: Bool? {
        get throws { try fields.flag("partialapproval") }
    }
}
