import Canonical
package import Payments
package import Redaction

/// The answer of Handpoint's gateway to a status query for a transaction: the transaction result of
/// `/transactions/{transactionReference}/status`. Source: Handpoint REST API (facts/vendor_codes, 2).
///
/// The sender adds `asked` with `ageSeconds`: the age of the transaction at the time of the query, in whole seconds.
package struct CloudStatus {
    package static let kind = "TransactionStatus"

    /// A transaction that has not reached the gateway by this age never will, and is not charged.
    package static let arrivesWithinSeconds: Int64 = 90

    /// The answer's meaning for a transaction of that age.
    package enum Meaning: Sendable, Hashable {
        case approved, partiallyApproved, declined
        /// The gateway has it, but does not know the outcome yet.
        case inProgress
        /// The gateway does not have it, but may still receive it.
        case notYetArrived
        /// The gateway does not have it and will not receive it.
        case neverArrived
        /// The answer has no outcome, or contradicts itself.
        case unknown
    }

    private let body: Fields
    private let ageSeconds: Int64?

    /// - Throws: `malformedDocument`.
    init(_ body: Fields) throws {
        self.body = body
        ageSeconds = try body.object("asked")?.text("ageseconds").flatMap { Int64($0) }
    }

    /// Reads a scrubbed document of this kind.
    ///
    /// - Throws: `Refusal` if the document is not of this kind.
    package init(_ document: ScrubbedDocument) throws(Refusal) {
        guard case .object(let object) = document.value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        self = try Refusal.only { try CloudStatus(Fields(object)) }
    }

    /// - Throws: `missingField` for a result without a financial status.
    package var meaning: Meaning {
        get throws(Refusal) { try Refusal.only { try read(DocumentContext()).meaning } }
    }

    /// Status and message, as the vendor prints them.
    package var response: Response {
        get throws(Refusal) {
            try Refusal.only {
                Response(code: try body.text("finstatus", "financialstatus"), message: try body.text("statusmessage"))
            }
        }
    }

    package var references: References {
        get throws(Refusal) { try Refusal.only { try read(DocumentContext()).response.references } }
    }

    /// The approved amount; nil without an approval.
    package var approved: Money? {
        get throws(Refusal) {
            try Refusal.only {
                let (meaning, response) = try read(DocumentContext())
                guard meaning == .approved || meaning == .partiallyApproved else { return nil }
                return try FinanceAmounts(response, isPartial: meaning == .partiallyApproved, isStrict: false)
                    .approved?.total
            }
        }
    }

    /// The data of the found transaction; nil if none was found.
    package var found: FoundPayment? {
        get throws(Refusal) {
            try Refusal.only {
                var (meaning, response) = try read(DocumentContext())
                guard meaning != .notYetArrived, meaning != .neverArrived else { return nil }
                let isApproval = meaning == .approved || meaning == .partiallyApproved
                let amounts = try FinanceAmounts(
                    response,
                    isPartial: meaning == .partiallyApproved,
                    isStrict: false
                )
                return FoundPayment(
                    requested: amounts.asked?.total,
                    approved: isApproval ? amounts.approved : nil,
                    lastFour: try response.card()?.lastFour,
                    at: response.at
                )
            }
        }
    }

    /// The reference used in the query, if the answer repeats it.
    package var transactionReference: String? {
        get throws(Refusal) { try Refusal.only { try body.identifier("transactionreference") } }
    }

    private func read(_ context: DocumentContext) throws -> (meaning: Meaning, response: FinanceResponse) {
        let response = try FinanceResponse(body, context: context, isRecovered: true, by: .statusQuery)
        guard response.namesFinancial else {
            throw Refusal(
                .missingField,
                "A transaction result has its finStatus.",
                pointer: body.pointer(to: "finStatus")
            )
        }
        switch response.financial {
        case .inProgress?: return (.inProgress, response)
        // Only the gateway itself can report that it has no such transaction. A result with an id exists, whatever its
        // status.
        case .undefined? where try response.transaction == nil:
            guard let ageSeconds else { return (.notYetArrived, response) }
            return (ageSeconds >= Self.arrivesWithinSeconds ? .neverArrived : .notYetArrived, response)
        default: break
        }
        let meaning: Meaning =
            switch try FinanceOutcome(response).meaning {
            case .approved: .approved
            case .partiallyApproved: .partiallyApproved
            case .declined, .cancelled, .failed: .declined
            case .unknown: .unknown
            }
        return (meaning, response)
    }

    func observation(_ context: DocumentContext) throws -> Observation {
        let (meaning, response) = try read(context)
        switch meaning {
        case .approved, .partiallyApproved, .declined: return try FinanceFacts(response).observation()
        case .inProgress, .notYetArrived, .neverArrived, .unknown: break
        }
        let reported = try self.response
        let references = try response.references
        let event: TransactionEvent =
            meaning == .neverArrived
            ? .outcomeResolved(
                Resolution(
                    outcome: .notPosted,
                    means: .statusQuery,
                    evidence: .gateway,
                    references: references,
                    answeredAt: context.occurredAt
                )
            )
            : .outcomeUnknown(
                Verdict(
                    evidence: .gateway,
                    response: reported,
                    references: references,
                    at: context.reportedTime,
                    means: .statusQuery
                )
            )
        return Observation(
            subject: .transaction([event]),
            keys: try response.transaction.map { [HandpointAdapter.key($0)] } ?? [],
            identity: nil,
            occurredAt: context.reportedTime,
            policy: HandpointAdapter.policy
        )
    }
}
