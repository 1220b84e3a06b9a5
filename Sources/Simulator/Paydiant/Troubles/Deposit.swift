import Canonical
import Payments

extension PaydiantTill {
    /// A machine takes cash in; the customer may want to cancel it when that is no longer possible: document, line 103.
    mutating func deposit(_ script: inout Script) {
        begin(.cash, &script)
        let amount = purchase.basket.total
        let request: JSONObject = [
            "checkoutToken": .string(forms.token), "paydiantTransactionRefId": .string(forms.transaction),
            "transactionType": .string(PaydiantForms.Purpose.cash.rawValue), "cashAccessType": "Deposit",
            "cashAmount": PaydiantForms.amount(amount), "accountUri": .string(forms.accounts[0]),
        ]
        script.report("updateTransaction", ["request": ["updateTransactionRequest": .object(request)]])
        script.wait(seconds: 5)
        if random.chance(percent: 50) {
            // Asked, and no answer beside the deposit's.
            script.report("cancelTransactionUsingToken", ["request": .object(forms.cancellation)])
            script.wait(seconds: 3)
        }
        // The merchant's bank holds the cash for the customer's account: it is no sale.
        script.truly { $0.credit(in: batch) }
        script.report("UpdateTransactionCompletionBlock", forms.deposited(amount))
    }
}
