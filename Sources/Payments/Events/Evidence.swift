/// The source of a fact. Evidence is ranked: if two sources disagree, the higher rank decides the folded status.
package enum Evidence: String, Sendable, Hashable, Codable, CaseIterable {
    /// The card reader or the SDK on the device.
    case reader
    /// The answer of the gateway or the host, as the sender of a document relays it.
    case relayed
    /// The gateway, or the host behind it.
    case gateway
    /// A batch, a settlement report or a bank statement.
    case settlement

    /// Each outranks those before it.
    package var rank: Int {
        switch self {
        case .reader: 0
        case .relayed: 1
        case .gateway: 2
        case .settlement: 3
        }
    }

    /// True for an answer of the gateway or the host, relayed or not.
    package var isOfHost: Bool { self == .relayed || self == .gateway }

    /// True if both report for the same side: the reader, the host or settlement.
    func isSameSide(as other: Evidence) -> Bool { self == other || isOfHost && other.isOfHost }

    /// The source, as texts name it.
    var source: String { self == .relayed ? "relayed answer" : rawValue }
}

/// The kind of payment that was requested.
package enum Operation: String, Sendable, Hashable, Codable, CaseIterable {
    /// Authorized and captured in one step.
    case sale
    /// Authorized only; money moves with a later capture.
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
    /// The card issuer's answer, if it is reported beside the vendor's code.
    package var issuer: IssuerAnswer?

    package init(code: String? = nil, message: String? = nil, issuer: IssuerAnswer? = nil) {
        self.code = code
        self.message = message
        self.issuer = issuer
    }
}

/// The issuer's answer as the network passes it on. It is more detailed than the vendors' codes, and the networks judge
/// a merchant's further attempts by it.
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

/// The names and numbers of this payment in other systems. All are optional: each document has some of them.
package struct References: Sendable, Hashable, Codable {
    package var gatewayTransaction: String?
    package var authorizationCode: String?
    /// Retrieval reference number, ISO 8583 field 37.
    package var retrievalReference: String?
    package var hostTransaction: String?
    /// The id given by the SDK or terminal.
    package var vendorTransaction: String?
    package var invoice: String?
    /// The merchant's id at the processor (BridgePay: networkMerchantID) or at the wallet's platform.
    package var merchant: String?
    /// The merchant's account at the gateway (BridgePay: MerchantAccountCode), or its store at the wallet's platform
    /// (Paydiant).
    package var gatewayAccount: String?
    /// The terminal's id at the processor (Dejavoo: the TPN).
    package var terminal: String?
    /// The person at the till, as the merchant names them.
    package var clerk: String?
    /// The recipient of the tip.
    package var tipRecipient: String?

    package init(
        gatewayTransaction: String? = nil,
        authorizationCode: String? = nil,
        retrievalReference: String? = nil,
        hostTransaction: String? = nil,
        vendorTransaction: String? = nil,
        invoice: String? = nil,
        merchant: String? = nil,
        gatewayAccount: String? = nil,
        terminal: String? = nil,
        clerk: String? = nil,
        tipRecipient: String? = nil
    ) {
        self.gatewayAccount = gatewayAccount
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

    /// These references, with missing ones filled from `other`. Known references are kept.
    package func filled(from other: References) -> References {
        References(
            gatewayTransaction: gatewayTransaction ?? other.gatewayTransaction,
            authorizationCode: authorizationCode ?? other.authorizationCode,
            retrievalReference: retrievalReference ?? other.retrievalReference,
            hostTransaction: hostTransaction ?? other.hostTransaction,
            vendorTransaction: vendorTransaction ?? other.vendorTransaction,
            invoice: invoice ?? other.invoice,
            merchant: merchant ?? other.merchant,
            gatewayAccount: gatewayAccount ?? other.gatewayAccount,
            terminal: terminal ?? other.terminal,
            clerk: clerk ?? other.clerk,
            tipRecipient: tipRecipient ?? other.tipRecipient
        )
    }
}
