package import Canonical
package import Payments
package import Redaction
package import Vendors

package struct GatewayAnswer: Sendable, Hashable {
    package enum Verdict: Sendable, Hashable {
        case approved, partiallyApproved
        /// Refused or cancelled by the issuer, the host or the cardholder: no money moved.
        case declined
        /// The gateway does not have the payment and will not receive it.
        case notPosted
        /// The gateway does not know the outcome yet. The value is the payment's age, in seconds, at which it will; nil
        /// if unknown: query again.
        case pending(untilAgeSeconds: Int64?)
        /// More than one payment matches, or it has changed since, or it looks like another one: it needs review.
        case ambiguous
        /// The gateway reports an unknown outcome, or its codes contradict each other.
        case unknown
        /// The request was invalid, with this vendor code; nothing was done.
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
    package var references: References
    package var approved: Money?
    /// The answer as a document for the vendor's adapter; nil if the gateway only refused the request itself.
    package var document: GatewayDocument?
    /// The data of the found payment, in the answer to `find`.
    package var found: FoundPayment?
    /// True if the gateway reports that it has no such transaction.
    package var isNotFound: Bool
    /// The new token, in the answer to `token`. The document contains only its digest.
    package var issuedToken: Secret?

    package init(
        verdict: Verdict,
        response: Response,
        codes: [Detail] = [],
        references: References = .init(),
        approved: Money? = nil,
        document: GatewayDocument? = nil,
        found: FoundPayment? = nil,
        isNotFound: Bool = false,
        issuedToken: Secret? = nil
    ) {
        self.verdict = verdict
        self.response = response
        self.codes = codes
        self.references = references
        self.approved = approved
        self.document = document
        self.found = found
        self.isNotFound = isNotFound
        self.issuedToken = issuedToken
    }
}

/// An answer in its recorded form: a document for the vendor's adapter, free of card data and secrets.
package struct GatewayDocument: Sendable, Hashable {
    package var vendor: Vendor
    /// One of the adapter's kinds.
    package var kind: String
    package var scrubbed: ScrubbedDocument
    package var context: DocumentContext

    /// Scrubs `body` with the adapter's schema. This is the only initialiser.
    init(vendor: Vendor, kind: String, body: JSONValue, context: DocumentContext) {
        self.vendor = vendor
        self.kind = kind
        let schema = VendorAdapters.adapter(of: vendor).redactionSchema(for: kind)
        scrubbed = Scrubber(schema: schema).scrub(UnscrubbedDocument(body))
        self.context = context
    }

    package var body: JSONValue { scrubbed.value }
}
