package import Canonical
package import Payments

/// One question to a gateway. Card numbers have no place in it: a card is named by a token.
package struct GatewayCall: Sendable, Hashable {
    package var operation: GatewayOperation
    /// Ours, and used for this one attempt only. The gateway gets it as transaction id, and as invoice number where the call
    /// has none, so that what it did can be found; BridgeComm, whose invoice numbers are short, the last twelve letters and
    /// digits of it.
    package var reference: String
    /// The payment it is about.
    package var original: OriginalPayment
    /// What is asked for; of a capture and a tip adjustment the whole new amount, tip included.
    package var amount: Money?
    /// The tip within `amount`.
    package var tip: Money?
    package var invoice: String?
    /// What stands for the card.
    package var token: Secret?
    /// `credit`, `debit`, `gift`, `ebt`.
    package var tender: String
    /// In `passwordChange`.
    package var newPassword: Secret?

    package init(
        _ operation: GatewayOperation,
        reference: String,
        original: OriginalPayment = OriginalPayment(),
        amount: Money? = nil,
        tip: Money? = nil,
        invoice: String? = nil,
        token: Secret? = nil,
        tender: String = "credit",
        newPassword: Secret? = nil
    ) {
        self.operation = operation
        self.reference = reference
        self.original = original
        self.amount = amount
        self.tip = tip
        self.invoice = invoice
        self.token = token
        self.tender = tender
        self.newPassword = newPassword
    }

    /// The invoice number by which a find asks for a payment of BridgePay's; nil where it names a better one.
    package var soughtInvoice: String? {
        original.gatewayTransaction == nil ? BridgeCommRequest.originalInvoice(of: self) : nil
    }

    /// The invoice number the gateway knows the call by.
    var sentInvoice: String { invoice ?? reference }
}

/// The names under which a gateway knows a payment, as far as they are known here.
package struct OriginalPayment: Sendable, Hashable {
    /// The id the gateway gave it: BridgePay's GatewayTransID, Handpoint's EFT transaction id.
    package var gatewayTransaction: String?
    /// The invoice number it was made with.
    package var invoice: String?
    /// The name the payment was sent with: Handpoint's transactionReference, SPIn's ReferenceId, iPOS Transact's
    /// transactionReferenceId.
    package var reference: String?
    package var authorizationCode: String?
    package var retrievalReference: String?
    package var purchaseToken: Secret?
    package var lastFour: String?
    /// What was approved; SPIn wants it repeated with a void.
    package var amount: Money?
    /// When it was sent. A gateway that does not know a payment yet may still get it.
    package var begunAt: Timestamp?
    /// True where it is known that the batch it was made in is still open. SPIn's names are only good for one batch: not found
    /// says nothing about a payment of a batch that was closed.
    package var isBatchOpen = false

    package init(
        gatewayTransaction: String? = nil,
        invoice: String? = nil,
        reference: String? = nil,
        authorizationCode: String? = nil,
        retrievalReference: String? = nil,
        purchaseToken: Secret? = nil,
        lastFour: String? = nil,
        amount: Money? = nil,
        begunAt: Timestamp? = nil,
        isBatchOpen: Bool = false
    ) {
        self.gatewayTransaction = gatewayTransaction
        self.invoice = invoice
        self.reference = reference
        self.authorizationCode = authorizationCode
        self.retrievalReference = retrievalReference
        self.purchaseToken = purchaseToken
        self.lastFour = lastFour
        self.amount = amount
        self.begunAt = begunAt
        self.isBatchOpen = isBatchOpen
    }
}
