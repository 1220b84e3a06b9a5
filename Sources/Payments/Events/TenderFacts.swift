package import Canonical

/// An account of a wallet, as far as it may be kept.
package struct TenderAccount: Sendable, Hashable, Codable {
    /// What it is, as the vendor classes it: `credit`, `debit`, `gift`.
    package var kind: String?
    /// The card scheme as the vendor prints it.
    package var brand: String?
    package var lastFour: String?
    /// A digest of the account's name at the vendor, for finding what else was paid with it.
    package var tokenDigest: String?

    package init(kind: String? = nil, brand: String? = nil, lastFour: String? = nil, tokenDigest: String? = nil) {
        self.kind = kind
        self.brand = brand
        self.lastFour = lastFour
        self.tokenDigest = tokenDigest
    }
}

/// What tells a tender from the others of its payment, where documents do not name it alike: one by the vendor's id,
/// another by its authorisation, a third by no more than its account and amount.
package struct TenderMarks: Sendable, Hashable, Codable {
    /// The id the vendor gave it.
    package var reference: String?
    /// The authorisation of its account. Some issuers give every one the same.
    package var authorization: String?
    /// How many of its authorisation, account and amount the same answer lists before it; nil where none.
    package var place: Int?
    /// How many of its account and amount the same answer lists before it; nil where none.
    package var turn: Int?
    /// True where the answer tells of several, so that what is left to pay is not what this one left.
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

/// One of the tenders of a payment was accepted: the payload of `TenderApplied`. A payment by a gift card and a credit
/// card has two; they add up.
package struct Tender: Sendable, Hashable, Codable {
    /// Names this tender within the transaction; the same tender told twice has the same id, unless it has marks.
    package var id: String
    /// What else it is known by, where documents may name it differently.
    package var marks: TenderMarks?
    /// What this tender pays, the tip inside it.
    package var amounts: Amounts
    /// What is left to pay after it, where the vendor says; zero with the last one.
    package var balance: Money?
    /// The offers that were applied by then, and what each takes off what was asked for.
    package var offers: [NamedAmount]?
    /// True where the vendor says that more is due, whether or not it says how much.
    package var isPartial: Bool
    /// False while the money is only held.
    package var isCaptured: Bool
    package var account: TenderAccount?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: Timestamp?

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
        at: Timestamp? = nil
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

/// An attempt to pay with one tender came to nothing: the payload of `TenderRefused`. The payment goes on: another
/// tender may be tried. Only where none is does this end it.
package struct TenderRefusal: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable, CaseIterable {
        case declined
        /// Refused before anything could be posted.
        case failed
    }

    package var outcome: Outcome
    /// The vendor's name of the attempt, where it has one.
    package var id: String?
    /// What it should have paid.
    package var amount: Money?
    package var account: TenderAccount?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: Timestamp?

    package init(
        outcome: Outcome,
        id: String? = nil,
        amount: Money? = nil,
        account: TenderAccount? = nil,
        evidence: Evidence,
        response: Response = .init(),
        references: References = .init(),
        at: Timestamp? = nil
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

/// A cash machine handed out cash for a withdrawal: the payload of `CashDispensed`.
package struct Dispense: Sendable, Hashable, Codable {
    /// Names this dispense within the transaction.
    package var id: String
    /// What was asked for, where the document says.
    package var requested: Money?
    /// What was handed out, and is taken from the account.
    package var dispensed: Money
    /// True where the vendor says that the machine had less than was asked for.
    package var isPartial: Bool
    /// The vendor's figures as written.
    package var figures: [Figure]?
    package var account: TenderAccount?
    package var evidence: Evidence
    package var response: Response
    package var references: References
    package var at: Timestamp?

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
        at: Timestamp? = nil
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
