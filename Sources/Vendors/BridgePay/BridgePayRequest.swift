import Canonical
import Payments

/// What the app asks PayGuardian for: `BPNPaymentRequest`, `BPNTokenRequest` or `BPNFindRequest`.
struct BridgePayRequest {
    enum Kind: String, CaseIterable {
        case payment = "BPNPaymentRequest"
        case token = "BPNTokenRequest"
        case find = "BPNFindRequest"
    }

    let kind: Kind
    let fields: Fields
    /// Nil when the request does not say.
    let operation: BridgePayOperation?
    /// False where the operation is only the likely one, and the answer knows better.
    let isOperationReported: Bool
    let invoice: String?
    /// `pnRefNum`: the gateway's id of the original payment.
    let original: String?
    let tender: BridgePayTender?
    let account: String?
    let clerk: String?
    let tipRecipient: String?

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
        // No fact hangs on who it was: a name that cannot be read refuses nothing.
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

    /// A request for a PCI token that names an amount is a sale paid with that token, whatever it is called: so is the
    /// guide's example of a sale with an `authenticationTokenId`.
    private static func operation(of fields: Fields, as kind: Kind) throws -> (BridgePayOperation?, isReported: Bool) {
        let hasAmount = fields.has("amount")
        let type = try fields.text("transactiontype")
        let named = type.flatMap { BridgePayOperation(transactionType: $0) }
        switch kind {
        case .find: return (.find, true)
        case .token: return (named ?? (hasAmount ? .sale : .token), named != nil && named != .token)
        case .payment:
            if named == .token && hasAmount { return (.sale, false) }
            // The short constructor sets no transaction type: PayGuardian makes a sale of it.
            if type == nil && hasAmount { return (.sale, false) }
            return (named, named != nil)
        }
    }

    /// Whether the gateway may take the payment although it looks like one it has.
    var isForced: Bool {
        get throws { try fields.flag("forceonduplicate") ?? false }
    }

    /// Whether less may be approved than is asked for; nil where the request does not say.
    var allowsPartialApproval: Bool? {
        get throws { try fields.flag("partialapproval") }
    }
}
