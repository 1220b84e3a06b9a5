import Canonical
import Payments

// The next value of each table of the document.
extension PaydiantTill {
    mutating func playTables(_ script: inout Script) {
        reportBeside(purchase.turn, &script)
        switch PaydiantTables.turns[purchase.turn % PaydiantTables.turns.count] {
        case .update(let index):
            begin(.purchase, &script)
            fail(PaydiantTables.payments[index].meaning, &script)
            let request: JSONObject = ["updateTransactionRequest": .object(forms.submitted(whole))]
            let code = PaydiantTables.payments[index].code
            script.report(
                "UpdateTransactionFailureBlock",
                PaydiantForms.failure("TransactionError", code, in: "UpdateTransaction", request)
            )
        case .split(let index):
            begin(.purchase, &script)
            script.report("paymentWith", ["request": .object(forms.submitted(whole))])
            fail(PaydiantTables.payments[index].meaning, &script)
            let code = PaydiantTables.payments[index].code
            script.report(
                "SplitTenderPaymentTransactionFailureBlock",
                PaydiantForms.failure("TransactionError", code, in: "PaymentProcessor", forms.submitted(whole))
            )
        case .cash(let index):
            begin(.cash, &script)
            fail(PaydiantTables.cash[index].meaning, &script)
            let type = index % 2 == 0 ? PaydiantForms.withdrawal : "kPDCashAccessTransactionTypeUnknown"
            let request: JSONObject = [
                "paydiantTransactionRefId": .string(forms.transaction), "cashAccessType": type,
                "cashAmount": PaydiantForms.amount(purchase.basket.total), "accountUri": .string(forms.accounts[0]),
            ]
            script.report(
                "SubmitCashAccessAmountFailureBlock",
                PaydiantForms.failure(
                    "cashAccessError",
                    PaydiantTables.cash[index].code,
                    in: "CashAccessProcessor",
                    request
                )
            )
        case .cancellation(let index):
            begin(.purchase, &script)
            pay(&script)
            script.wait(seconds: 4)
            // A server that fails may have cancelled it.
            if PaydiantTables.cancellations[index] >= 500 { script.truly { $0.evidence = .indirect } }
            script.report(
                "CancelTransactionFailureBlock",
                PaydiantForms.failure(
                    "transactionError",
                    PaydiantTables.cancellations[index],
                    in: "CancelTransaction",
                    forms.cancellation
                )
            )
        }
    }

    private mutating func fail(_ meaning: CodeMeaning, _ script: inout Script) {
        let isPosted = random.chance(percent: 50)
        script.wait(seconds: random.within(2...9))
        script.truly { meaning.apply(to: &$0, isPosted: isPosted, in: batch) }
    }

    /// Other calls that failed, with another token and about no payment.
    private func reportBeside(_ turn: Int, _ script: inout Script) {
        let token = "\(forms.token)-\(turn)"
        func code(_ table: [Int64]) -> Int64 { table[turn % table.count] }
        let type: JSONValue = .string(PaydiantTables.types[turn % PaydiantTables.types.count])
        let asked: JSONObject = ["aTransactionType": type]
        script.report("obtainCheckoutTokenFor", ["request": .object(asked)], isOfPayment: false)
        script.report(
            "ObtainCheckoutTokenFailureBlock",
            PaydiantForms.failure("transactionError", code(PaydiantTables.tokens), in: "ObtainCheckoutToken", asked),
            isOfPayment: false
        )
        let obtained: JSONValue = ["checkoutToken": .string(token), "type": type]
        script.report("ObtainCheckoutTokenCompletionBlock", obtained, isOfPayment: false)
        let informed: JSONValue = ["request": ["checkoutToken": .string(token)], "transactionType": type]
        script.report("RetrieveTransactionInformationCompletionBlock", informed, isOfPayment: false)
        let discovery: JSONObject = ["checkoutToken": .string(token), "flowRule": "DISCOVERY"]
        script.report(
            "RetriveTransactionMetaDataFailureBlock",
            PaydiantForms.failure(
                "transactionError",
                code(PaydiantTables.discoveries),
                in: "RetriveTransactionMetaData",
                discovery
            ),
            isOfPayment: false
        )
        script.report(
            "RetrieveTransactionInformationFailureBlock",
            PaydiantForms.failure(
                "TransactionError",
                code(PaydiantTables.information),
                in: "RetrieveTransactionInformation",
                ["checkoutToken": .string(token)]
            ),
            isOfPayment: false
        )
        script.report(
            "ReleaseCheckoutTokenFailureBlock",
            PaydiantForms.failure(
                "transactionError",
                code(PaydiantTables.releases),
                in: "ReleaseCheckoutToken",
                ["aCheckoutToken": .string(token)]
            ),
            isOfPayment: false
        )
    }
}
