package import Canonical
package import Payments
package import Projections
import Vendors

/// A payment: the folded state with its three facets.
///
/// Its read model stores the JSON as text, which `TransactionView.json` writes member by member. Payments are read, and
/// not written, by this type.
package struct TransactionJSON: Codable, Sendable, Hashable {
    /// The amounts; empty until one is reported.
    package struct Amounts: Codable, Sendable, Hashable {
        package var requested: Money?
        package var authorized: Money?
        package var captured: Money?
        package var tip: Money?
        package var refunded: Money?
        package var chargedBack: Money?
        package var remaining: Money?
        package var settled: Money?
        package var due: Money?
        /// The discount of offers.
        package var discount: Money?
        package var credited: Money?
    }

    /// The last report of one side.
    package struct Facet: Codable, Sendable, Hashable {
        package var outcome: Outcome
        package var response: Response
        package var at: ReportedTime?
        /// True if only the sender of a document relays it; else absent.
        package var relayed: Bool?
    }

    package struct Facets: Codable, Sendable, Hashable {
        package var reader: Facet?
        package var gateway: Facet?
        package var settlement: Facet?
    }

    package struct Tender: Codable, Sendable, Hashable {
        package var id: String
        package var amount: Money?
        package var tip: Money?
        package var captured: Bool
        package var cash: Bool
        package var account: TenderAccount?
        package var evidence: Evidence
        package var capture: String
    }

    /// A capture or a credit.
    package struct Capture: Codable, Sendable, Hashable {
        package var id: String
        package var amount: Money
        package var tip: Money
        package var voided: Money
        package var evidence: Evidence
        package var batch: BatchReference?
        package var settled: Bool
        package var settledIn: BatchReference?
        package var inferred: Bool
    }

    /// A refund or a chargeback.
    package struct Return: Codable, Sendable, Hashable {
        package var id: String
        package var amount: Money
        package var undone: Bool
        package var evidence: Evidence
        package var batch: BatchReference?
    }

    /// An operation on the value of a card or its token, which is no payment.
    package struct CardValue: Codable, Sendable, Hashable {
        package var operation: String
        /// The balance that was queried, or the amount that was put on the card.
        package var amount: Money?
        /// The balance afterwards.
        package var balance: Money?
        package var response: Response?
    }

    package var id: UUID128
    package var version: Int64
    package var status: TransactionStatus
    package var operation: Operation?
    package var vendor: Vendor?
    package var reference: String?
    package var merchant: String?
    package var terminal: String?
    package var device: String?
    package var cardReader: ReaderReference?
    package var tender: String?
    package var circumstances: Circumstances?
    /// True for a payment at the vendor's test system; else absent.
    package var test: Bool?
    package var cardholderPresent: Bool?
    /// The number of months over which the payment is spread.
    package var budgetMonths: Int?
    package var signature: DeviceSteps.Signature?
    package var cancellation: Cancellation?
    package var amounts: Amounts
    package var breakdown: BreakdownJSON?
    package var tenders: [Tender]?
    package var refusedTenders: [RefusedTender]?
    package var offers: [NamedAmount]?
    package var captures: [Capture]
    package var refunds: [Return]
    package var chargebacks: [Return]
    package var credit: Capture?
    package var facets: Facets
    package var outcome: Outcome?
    package var outcomeEvidence: Evidence?
    package var references: References
    package var card: CardPresentation?
    package var cardValue: CardValue?
    package var inDoubt: Bool
    package var anomalies: [Anomaly]
    package var linked: [String]
    /// The earliest local time that the terminal or vendor printed.
    package var localTime: LocalTime?
    package var occurredAt: Timestamp
    package var recordedAt: Timestamp
    package var firstPosition: Int64
    package var lastPosition: Int64

    package init(_ stored: StoredTransaction) throws {
        self = try JSONValueDecoder().decode(Self.self, parsing: stored.json)
    }

    package init(_ view: TransactionView) throws {
        self = try JSONValueDecoder().decode(Self.self, parsing: view.json.text)
    }

    /// The amount in a list: captured or credited, else authorized, else requested.
    package var headline: Money? {
        if let credited = amounts.credited { return credited }
        return captures.isEmpty ? amounts.authorized ?? amounts.requested : amounts.captured
    }

    /// What the vendor says to do about the code that a side reported; nil if it says nothing, or if the payment has had
    /// another outcome.
    package func remedy(of facet: Facet) -> String? {
        guard let vendor, let code = facet.response.code, facet.outcome == outcome else { return nil }
        return VendorAdapters.adapter(of: vendor).remedy(of: code)
    }
}

/// A total with its reported parts.
package struct BreakdownJSON: Codable, Sendable, Hashable {
    package var total: Money
    package var base: Money?
    package var tip: Money?
    package var tax: Money?
    package var fee: Money?
    package var cashback: Money?
    package var parts: [AmountPart]?

    package init(_ amounts: Amounts) {
        total = amounts.total
        base = amounts.base
        tip = amounts.tip
        tax = amounts.tax
        fee = amounts.fee
        cashback = amounts.cashback
        parts = amounts.parts
    }
}
