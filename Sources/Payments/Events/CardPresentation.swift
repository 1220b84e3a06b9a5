/// The facts that may be kept about a card and how it was read. Never a whole card number, an expiry date or a name.
package struct CardPresentation: Sendable, Hashable, Codable {
    /// The card scheme as the vendor prints it: `Visa`, `AMEX`.
    package var brand: String?
    /// At most the first six and last four digits; the rest is masked.
    package var maskedNumber: String?
    package var lastFour: String?
    /// How the card was read, as the vendor prints it: `Chip_Read`, `tap-on-phone`.
    package var entryMethod: String?
    /// EMV tag 50 or 9F12.
    package var applicationLabel: String?
    /// EMV tag 4F or 84, hexadecimal.
    package var applicationIdentifier: String?
    /// EMV tag 95, hexadecimal.
    package var terminalVerificationResults: String?
    /// EMV tag 9B, hexadecimal.
    package var transactionStatusInformation: String?
    /// EMV tag 9F10, hexadecimal.
    package var issuerApplicationData: String?
    /// EMV tag 9F26, hexadecimal.
    package var applicationCryptogram: String?
    /// EMV tag 9F27, hexadecimal: the kind of cryptogram.
    package var cryptogramInformation: String?
    /// EMV tag 9F34, hexadecimal: how the cardholder was verified.
    package var verificationResults: String?
    package var requiresSignature: Bool?
    package var pinEntered: Bool?
    /// The result of a verification without a method, as the vendor reports it beside or without tag 9F34.
    package var verification: Verification?
    /// `credit` or `debit`, as the vendor classifies the card.
    package var funding: String?
    /// A digest of the vendor's payment token, for finding other payments with the same card.
    package var tokenDigest: String?
    /// The amounts the chip signed, if the vendor reports them.
    package var chipAmounts: ChipAmounts?
    /// The issuer's result for the billing address.
    package var addressCheck: CardCheck?
    /// The issuer's result for the card verification value.
    package var codeCheck: CardCheck?
    /// True for a card of a business, for which level II and III data lower the fees.
    package var isCommercial: Bool?

    /// A result of the verification of the cardholder.
    package enum Verification: String, Sendable, Hashable, Codable, CaseIterable {
        /// The payment needed none.
        case notRequired = "not-required"
        case failed
    }

    package init() {}

    /// This presentation, with missing fields filled from `other`.
    package func filled(from other: CardPresentation) -> CardPresentation {
        var card = self
        card.brand = brand ?? other.brand
        card.maskedNumber = maskedNumber ?? other.maskedNumber
        card.lastFour = lastFour ?? other.lastFour
        card.entryMethod = entryMethod ?? other.entryMethod
        card.applicationLabel = applicationLabel ?? other.applicationLabel
        card.applicationIdentifier = applicationIdentifier ?? other.applicationIdentifier
        card.terminalVerificationResults = terminalVerificationResults ?? other.terminalVerificationResults
        card.transactionStatusInformation = transactionStatusInformation ?? other.transactionStatusInformation
        card.issuerApplicationData = issuerApplicationData ?? other.issuerApplicationData
        card.applicationCryptogram = applicationCryptogram ?? other.applicationCryptogram
        card.cryptogramInformation = cryptogramInformation ?? other.cryptogramInformation
        card.verificationResults = verificationResults ?? other.verificationResults
        card.requiresSignature = requiresSignature ?? other.requiresSignature
        card.pinEntered = pinEntered ?? other.pinEntered
        card.verification = verification ?? other.verification
        card.funding = funding ?? other.funding
        card.tokenDigest = tokenDigest ?? other.tokenDigest
        card.chipAmounts = chipAmounts ?? other.chipAmounts
        card.addressCheck = addressCheck ?? other.addressCheck
        card.codeCheck = codeCheck ?? other.codeCheck
        card.isCommercial = isCommercial ?? other.isCommercial
        return card
    }
}

/// The result of a check of the card or its holder.
package struct CardCheck: Sendable, Hashable, Codable {
    /// The vendor's code.
    package var code: String
    /// The meaning in words; nil for a code outside the vendor's table.
    package var result: String?

    package init(code: String, result: String? = nil) {
        self.code = code
        self.result = result
    }
}

/// The amounts signed by the chip: EMV tags 9F02, 9F03 and 5F2A.
package struct ChipAmounts: Sendable, Hashable, Codable {
    /// Tag 9F02, minor units, cashback included.
    package var authorized: Int64
    /// Tag 9F03, minor units: the cashback part.
    package var other: Int64
    /// Tag 5F2A, the numeric currency code.
    package var currencyNumeric: Int?

    package init(authorized: Int64, other: Int64 = 0, currencyNumeric: Int? = nil) {
        self.authorized = authorized
        self.other = other
        self.currencyNumeric = currencyNumeric
    }
}
