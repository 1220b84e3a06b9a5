package import Canonical
package import Payments
package import Vendors

/// What a gateway said.
package struct GatewayAnswer: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        case approved, partiallyApproved
        /// Refused or cancelled by the issuer, the host or the cardholder: no money moved.
        case declined
        /// The gateway does not have the payment, and will not have it any more.
        case notPosted
        /// The gateway does not know yet. With the age of the payment, in seconds, from which on it will; nil: ask again.
        case pending(untilAgeSeconds: Int64?)
        /// More than one payment fits, or it has become something else since, or looks like another one: a person has to
        /// look.
        case ambiguous
        /// The gateway's own word is that it does not know, or its codes contradict each other.
        case unknown
        /// The request was wrong, by this code of the vendor's; nothing was done.
        case refused(code: String)

        package var name: GatewayVerdictName {
            switch self {
            case .approved: .approved
            case .partiallyApproved: .partiallyApproved
            case .declined: .declined
            case .notPosted: .notPosted
            case .pending: .pending
            case .ambiguous: .ambiguous
            case .unknown: .unknown
            case .refused: .refused
            }
        }
    }

    package var verdict: Verdict
    /// The vendor's main code and text, scrubbed.
    package var response: Response
    /// Every code of the answer, under the vendor's names.
    package var codes: [Detail]
    /// The names the gateway gave.
    package var references: References
    /// What was approved.
    package var approved: Money?
    /// The answer as the vendor's adapter reads it; nil where the gateway only refused the request as such.
    package var document: GatewayDocument?
    /// In the answer to `find`, where something was found: what is told of it.
    package var found: FoundPayment?
    /// In the answer to `token`. Only its digest is in the document.
    package var issuedToken: Secret?

    package init(
        verdict: Verdict,
        response: Response,
        codes: [Detail] = [],
        references: References = .init(),
        approved: Money? = nil,
        document: GatewayDocument? = nil,
        found: FoundPayment? = nil,
        issuedToken: Secret? = nil
    ) {
        self.verdict = verdict
        self.response = response
        self.codes = codes
        self.references = references
        self.approved = approved
        self.document = document
        self.found = found
        self.issuedToken = issuedToken
    }
}

/// An answer in the form in which it is recorded: a document for the vendor's adapter, free of card data and secrets.
package struct GatewayDocument: Sendable, Hashable {
    package var vendor: Vendor
    /// One of the adapter's kinds.
    package var kind: String
    package var scrubbed: ScrubbedDocument
    package var context: DocumentContext

    /// Scrubs `body` by the adapter's schema. There is no other way to make one.
    init(vendor: Vendor, kind: String, body: JSONValue, context: DocumentContext) {
        self.vendor = vendor
        self.kind = kind
        let schema = VendorAdapters.all.first { $0.vendor == vendor }?.redactionSchema(for: kind) ?? .none
        scrubbed = Scrubber(schema: schema).scrub(UnscrubbedDocument(body))
        self.context = context
    }

    package var body: JSONValue { scrubbed.value }
}
