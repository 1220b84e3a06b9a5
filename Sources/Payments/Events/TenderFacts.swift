package import Canonical

/// An account in a wallet: the fields that may be kept.
package struct TenderAccount: Sendable, Hashable, Codable {
    /// The vendor's class of the account: `credit`, `debit`, `gift`.
    package var kind: String?
    /// The card scheme as the vendor prints it.
    package var brand: String?
    package var lastFour: String?
    /// A digest of the vendor's name for the account, for finding other payments with it.
    package var tokenDigest: String?

    package init(kind: String? = nil, brand: String? = nil, lastFour: String? = nil, tokenDigest: String? = nil) {
        self.kind = kind
        self.brand = brand
        self.lastFour = lastFour
        self.tokenDigest = tokenDigest
    }
}

/// The marks that distinguish a tender from the others of its payment, for documents that name it differently: by the
/// vendor's id, by its authorization, or only by its account and amount.
package struct TenderMarks: Sendable, Hashable, Codable {
    /// The vendor's id of the tender.
    package var reference: String?
    /// The authorization code of its account. Some issuers give all authorizations the same code.
    package var authorization: String?
    /// How many earlier tenders in the same answer have its authorization, account and amount; nil if none.
    package var place: Int?
    /// How many earlier tenders in the same answer have its account and amount; nil if none.
    package var turn: Int?
    /// True if the answer lists several tenders. The reported balance is then not the balance after this one.
    package var isListed: Bool?

    package init(
        reference: String? = nil,
        authorization: String? = nil,
        place: Int? = nil,
        turn: Int? = nil,
        isListed: Bool? = nil
    ) {
        self.reference = reference
        self.authorization = authorization
        self.place = place
        self.turn = turn
        self.isListed = isListed
    }
}

/// One tender of a payment was accepted: the payload of `TenderApplied`. A payment with a gift card and a credit card
/// has two, which add up.
package struct Tender: Sendable, Hashable, Codable {
    /// The id of this tender within the transaction. A repeated report of the same tender has the same id, unless it
    /// has marks.
    package var id: String
    /// Further marks of the tender, for documents that name it differently.
    package var marks: TenderMarks?
    /// The amounts this tender pays, including the tip.
    package var amounts: Amounts
    /// The balance left to pay after this tender, if the vendor reports it; zero after the last one.
    package var balance: Money?
    /// The offers applied so far, and the discount of each.
    package var offers: [NamedAmount]?
    /// True if the vendor reports that more is due, with or without an amount.
    package var isPartial: Bool
    /// False while the money is only held.
    package var isCaptured: Bool
    package var account: TenderAccount?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: ReportedTime?

    package init(
        id: String,
        marks: TenderMarks? = nil,
        amounts: Amounts,
        balance: Money? = nil,
        offers: [NamedAmount]? = nil,
        isPartial: Bool = false,
        isCaptured: Bool = true,
        account: TenderAccount? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        at: ReportedTime? = nil
    ) {
        self.id = id
        self.marks = marks
        self.amounts = amounts
        self.balance = balance
        self.offers = offers
        self.isPartial = isPartial
        self.isCaptured = isCaptured
        self.account = account
        self.evidence = evidence
        self.response = response
        self.references = references
        self.at = at
    }
}

/// An attempt to pay with one tender failed: the payload of `TenderRefused`. The payment continues, and another tender
/// may be tried. The refusal ends the payment only if no other tender is tried.
package struct TenderRefusal: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case declined
        /// Refused before anything could be posted.
        case failed
    }

    package var outcome: Outcome
    /// The vendor's name of the attempt, if it has one.
    package var id: String?
    /// The amount it was to pay.
    package var amount: Money?
    package var account: TenderAccount?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: ReportedTime?

    package init(
        outcome: Outcome,
        id: String? = nil,
        amount: Money? = nil,
        account: TenderAccount? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        at: ReportedTime? = nil
    ) {
        self.outcome = outcome
        self.id = id
        self.amount = amount
        self.account = account
        self.evidence = evidence
        self.response = response
        self.references = references
        self.at = at
    }
}

/// A cash machine dispensed cash for a withdrawal: the payload of `CashDispensed`.
package struct Dispense: Sendable, Hashable, Codable {
    /// The id of this dispense within the transaction.
    package var id: String
    /// The requested amount, if the document reports it.
    package var requested: Money?
    /// The amount dispensed and taken from the account.
    package var dispensed: Money
    /// True if the vendor reports that the machine had less than requested.
    package var isPartial: Bool
    /// The vendor's figures as written.
    package var figures: [Figure]?
    package var account: TenderAccount?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: ReportedTime?

    package init(
        id: String,
        requested: Money? = nil,
        dispensed: Money,
        isPartial: Bool = false,
        figures: [Figure]? = nil,
        account: TenderAccount? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        at: ReportedTime? = nil
    ) {
        self.id = id
        self.requested = requested
        self.dispensed = dispensed
        self.isPartial = isPartial
        self.figures = figures
        self.account = account
        self.evidence = evidence
        self.response = response
        self.references = references
        self.at = at
    }
}
