/// Who vouches for a fact. Evidence ranks: when two disagree, the higher rank decides the folded status.
package enum Evidence: String, Sendable, Hashable, Codable, CaseIterable {
    /// The card reader or the SDK on the device.
    case reader
    /// The gateway, or the host behind it.
    case gateway
    /// A batch, a settlement report or a bank statement.
    case settlement

    /// Host evidence outranks the terminal's, settlement outranks both.
    package var rank: Int {
        switch self {
        case .reader: 0
        case .gateway: 1
        case .settlement: 2
        }
    }
}

/// What the payment was started as.
package enum Operation: String, Sendable, Hashable, Codable, CaseIterable {
    /// Authorised and captured in one step.
    case sale
    /// Authorised only; money moves with a later capture.
    case authorization
    /// A standalone refund (blind credit) with no original payment.
    case credit
    /// A zero-amount check that the account exists.
    case verification
}

/// An answer as the gateway, host or SDK gave it.
package struct Response: Sendable, Hashable, Codable {
    /// The vendor's code, as printed.
    package var code: String?
    /// The vendor's text, scrubbed.
    package var message: String?
    /// What the card's issuer said, where it is told beside the vendor's code.
    package var issuer: IssuerAnswer?

    package init(code: String? = nil, message: String? = nil, issuer: IssuerAnswer? = nil) {
        self.code = code
        self.message = message
        self.issuer = issuer
    }
}

/// The issuer's own answer, as the network passes it on: what the vendors' codes make few of, and what networks judge
/// a merchant's further attempts by.
package struct IssuerAnswer: Sendable, Hashable, Codable {
    /// ISO 8583 field 39: two characters.
    package var code: String?
    /// Mastercard's merchant advice code: two characters.
    package var advice: String?

    package init(code: String? = nil, advice: String? = nil) {
        self.code = code
        self.advice = advice
    }
}

/// The names and numbers by which others know this payment. All optional: each document knows some.
package struct References: Sendable, Hashable, Codable {
    package var gatewayTransaction: String?
    package var authorizationCode: String?
    /// Retrieval reference number, ISO 8583 field 37.
    package var retrievalReference: String?
    package var hostTransaction: String?
    /// The id the SDK or terminal gave the payment.
    package var vendorTransaction: String?
    package var invoice: String?
    /// The merchant's id at the processor, or at the gateway where that is all that is known.
    package var merchant: String?
    /// The terminal's id at the processor (Dejavoo: the TPN).
    package var terminal: String?
    /// Who was at the till, as the merchant names them.
    package var clerk: String?
    /// Whom the tip is for.
    package var tipRecipient: String?

    package init(
        gatewayTransaction: String? = nil,
        authorizationCode: String? = nil,
        retrievalReference: String? = nil,
        hostTransaction: String? = nil,
        vendorTransaction: String? = nil,
        invoice: String? = nil,
        merchant: String? = nil,
        terminal: String? = nil,
        clerk: String? = nil,
        tipRecipient: String? = nil
    ) {
        self.gatewayTransaction = gatewayTransaction
        self.authorizationCode = authorizationCode
        self.retrievalReference = retrievalReference
        self.hostTransaction = hostTransaction
        self.vendorTransaction = vendorTransaction
        self.invoice = invoice
        self.merchant = merchant
        self.terminal = terminal
        self.clerk = clerk
        self.tipRecipient = tipRecipient
    }

    /// These references, with gaps filled from `other`; what is already known is kept.
    package func filled(from other: References) -> References {
        References(
            gatewayTransaction: gatewayTransaction ?? other.gatewayTransaction,
            authorizationCode: authorizationCode ?? other.authorizationCode,
            retrievalReference: retrievalReference ?? other.retrievalReference,
            hostTransaction: hostTransaction ?? other.hostTransaction,
            vendorTransaction: vendorTransaction ?? other.vendorTransaction,
            invoice: invoice ?? other.invoice,
            merchant: merchant ?? other.merchant,
            terminal: terminal ?? other.terminal,
            clerk: clerk ?? other.clerk,
            tipRecipient: tipRecipient ?? other.tipRecipient
        )
    }
}
