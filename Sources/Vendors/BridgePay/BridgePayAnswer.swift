import Canonical
package import Payments
package import Redaction

/// A BridgeComm answer, read with the adapter's tables, for callers that decide by it.
package struct BridgePayAnswer: Sendable, Hashable {
    package let meaning: CodeMeaning
    /// For example `A01`.
    package let messageCode: String?
    /// `gatewayResult` as a number.
    package let resultNumber: Int?
    package let response: Response
    /// Every code, under the vendor's names.
    package let codes: [Detail]
    package let references: References
    package let approved: Money?
    /// The data of the payment that a find request returned.
    package let found: FoundPayment

    /// - Parameter document: A document of kind `BridgeCommResponse`.
    /// - Throws: `Refusal` if the document has no answer.
    package init(_ document: ScrubbedDocument) throws(Refusal) {
        self = try Refusal.only { try Self.read(document) }
    }

    private init(
        meaning: CodeMeaning,
        messageCode: String?,
        resultNumber: Int?,
        response: Response,
        codes: [Detail],
        references: References,
        approved: Money?,
        found: FoundPayment
    ) {
        self.meaning = meaning
        self.messageCode = messageCode
        self.resultNumber = resultNumber
        self.response = response
        self.codes = codes
        self.references = references
        self.approved = approved
        self.found = found
    }

    private static func read(_ document: ScrubbedDocument) throws -> BridgePayAnswer {
        guard case .object(let object) = document.value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        let body = Fields(object)
        let fields = try body.object("bridgecommresponse") ?? body
        let answer = try BridgePayResponse(fields, receipt: nil, at: nil)
        let request = try BridgePayAdapter().request(in: body)
        let named: [(String, String?)] = [
            ("gatewayMessage", answer.messageCode), ("gatewayResult", try answer.result),
            ("responseCode", try answer.responseCode),
        ]
        let approved = try answer.printed("authorizedamount", as: "authorizedAmount")?.money
        return BridgePayAnswer(
            // An approval code may not approve the requested operation.
            meaning: try BridgePayFacts(answer, request: request).meaning,
            messageCode: answer.messageCode,
            resultNumber: try answer.result.flatMap { Int($0) },
            response: try answer.response,
            codes: named.compactMap { name, code in code.map { Detail(name, $0) } },
            references: try answer.references(nil),
            approved: approved,
            found: FoundPayment(
                requested: try answer.printed("originalamount", as: "originalAmount")?.money,
                approved: approved.map { Amounts(total: $0) },
                lastFour: try answer.card?.lastFour,
                at: answer.at,
                invoice: try fields.identifier("invoicenum", "invoicenumber"),
                batch: try fields.identifier("batchid"),
                account: try fields.identifier("merchantaccountcode")
            )
        )
    }

    /// The gateway considers the request a duplicate of another payment.
    package var isDuplicate: Bool { messageCode == "D09" || resultNumber == 30036 }

    /// A void was refused because the payment is already voided.
    package var isAlreadyVoided: Bool { resultNumber == 10042 }
}
