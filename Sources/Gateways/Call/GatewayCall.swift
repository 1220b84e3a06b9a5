package import Canonical
package import Payments

/// One call to a gateway. It has no card number: a token identifies the card.
package struct GatewayCall: Sendable, Hashable {
    package var operation: GatewayOperation
    /// Daybook's reference, used for one attempt only. The gateway receives it as transaction id, and as invoice number
    /// if the call has none, so that the transaction can be found. BridgeComm's invoice numbers are short; it receives
    /// the last twelve letters and digits.
    package var reference: String
    /// The payment that the call is about.
    package var original: OriginalPayment
    /// The requested amount; for a capture or tip adjustment the whole new amount including the tip.
    package var amount: Money?
    /// The tip within `amount`. In a request to BridgeComm for a payment it may be beside the amount, as in the request
    /// that is repeated.
    package var tip: Money?
    package var invoice: String?
    /// The card's token.
    package var token: Secret?
    /// `credit`, `debit`, `gift`, `ebt`, or the vendor's name for another tender.
    package var tender: String
    /// For `passwordChange`.
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

    /// The invoice number of a find request at BridgePay; nil if the call has a stronger name.
    package var soughtInvoice: String? {
        original.gatewayTransaction == nil ? BridgeCommRequest.originalInvoice(of: self) : nil
    }

    /// The invoice number sent to the gateway.
    var sentInvoice: String { invoice ?? reference }
}

/// The known names of a payment at a gateway.
package struct OriginalPayment: Sendable, Hashable {
    /// The gateway's id: BridgePay's GatewayTransID, Handpoint's EFT transaction id.
    package var gatewayTransaction: String?
    /// The payment's invoice number.
    package var invoice: String?
    /// The reference with which the payment was sent: Handpoint's transactionReference, SPIn's ReferenceId, iPOS
    /// Transact's transactionReferenceId.
    package var reference: String?
    package var authorizationCode: String?
    package var retrievalReference: String?
    package var purchaseToken: Secret?
    package var lastFour: String?
    /// The approved amount; SPIn requires it in a void.
    package var amount: Money?
    /// The time of sending. A gateway that does not know a payment yet may still receive it.
    package var begunAt: Timestamp?
    /// True if the payment's batch is known to be open. SPIn's references are unique within one batch only: "not found"
    /// proves nothing about a payment in a closed batch.
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
