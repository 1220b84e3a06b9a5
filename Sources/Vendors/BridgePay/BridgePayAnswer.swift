import Canonical
package import Payments

/// What a document with an answer of BridgeComm says, by the adapter's own tables, for whoever has to decide by it.
package struct BridgePayAnswer: Sendable, Hashable {
    package let meaning: CodeMeaning
    /// `A01`.
    package let messageCode: String?
    /// `gatewayResult` as a number.
    package let resultNumber: Int?
    package let response: Response
    /// Every code, under the vendor's names.
    package let codes: [Detail]
    package let references: References
    package let approved: Money?
    /// What a find tells of what it found.
    package let found: FoundPayment

    /// - Parameter document: Of the kind `BridgeCommResponse`.
    /// - Throws: `Refusal` for a document without an answer.
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
            // What looks like an approval may be none of what was asked for.
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

    /// The gateway takes the request for a repeat of another payment.
    package var isDuplicate: Bool { messageCode == "D09" || resultNumber == 30036 }

    /// A void was refused because it is done.
    package var isAlreadyVoided: Bool { resultNumber == 10042 }
}
