import Canonical
import Payments
import Redaction
import Vendors

/// Documents of the transaction module as intake passes them to the adapter.
enum Paydiant {
    static let token = "PDT-7Q2M-9F4K-XW8R"
    static let adapter = PaydiantAdapter()

    static func scrubbed(_ kind: String, _ body: JSONValue) -> ScrubbedDocument {
        Scrubber(schema: adapter.redactionSchema(for: kind)).scrub(UnscrubbedDocument(body))
    }

    static func read(_ kind: String, _ body: JSONValue) throws -> Observation {
        try adapter.interpret(scrubbed(kind, body), kind: kind, context: DocumentContext())
    }

    /// A failure block whose request is a payment.
    static func failure(_ kind: String, _ code: Int, _ more: [(String, JSONValue)] = []) throws -> Observation {
        var error: JSONObject = ["statusCode": .number(.init(Int64(code)))]
        for (name, value) in more { error[name] = value }
        let request: JSONValue = [
            "checkoutToken": .string(token), "paydiantTransactionRefId": "TX-1", "amount": "20.00",
            "accountUri": "paydiant://account/1",
        ]
        return try read(kind, ["request": request, "transactionError": .object(error)])
    }

    /// The answer to a payment with one account.
    static func payment(
        _ amount: String,
        status: String = "kPDPaymentStatusTypeCompleted",
        account: String = "paydiant://account/1",
        code: JSONValue = .null,
        balance: String? = nil,
        more: [(String, JSONValue)] = []
    ) throws -> Observation {
        var transaction: JSONObject = ["amount": .string(amount), "paymentStatusCode": code]
        if let balance { transaction["balanceDue"] = .string(balance) }
        for (name, value) in more { transaction[name] = value }
        return try read(
            "SplitTenderPaymentCompletionBlock",
            [
                "request": [
                    "checkoutToken": .string(token), "accountUri": .string(account), "amount": .string(amount),
                ],
                "paymentTransaction": .object(transaction), "paymentStatusType": .string(status),
            ]
        )
    }

    static func due(_ amount: String, type: String = "kPDTransactionTypePurchase") throws -> Observation {
        try read(
            "RetriveTransactionMetaDataCompletionBlock",
            [
                "request": ["checkoutToken": .string(token), "flowRule": "DISCOVERY"],
                "response": ["amountDue": .string(amount), "transactionType": .string(type)],
            ]
        )
    }

    /// The state of a payment after several documents.
    static func fold(_ observations: Observation...) -> TransactionState {
        var history: [TransactionEvent] = []
        for observation in observations {
            history += Lifecycle.decide(observation.events, after: history, policy: observation.policy)
        }
        return TransactionState(folding: history)
    }
}
