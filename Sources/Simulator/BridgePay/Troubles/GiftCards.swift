import Canonical
import Payments

extension BridgePayTill {
    /// An operation on a gift card moves no money of a payment: guide, lines 339 to 346.
    mutating func handleGiftCard(_ script: inout Script) {
        let (type, request) = random.pick([
            ("ACTIVATE", "014"), ("REACTIVATE", "014"), ("BALANCE_INQUIRY", "015"), ("DEACTIVATE", "014"),
        ])
        let amount = purchase.basket.base
        let isValue = type == "ACTIVATE" || type == "REACTIVATE"
        var asked = forms.request(type, amount: isValue ? amount : nil)
        asked["tenderType"] = "TENDER_TYPE_GIFT"
        var answer = forms.followUpResponse(
            .approved,
            type: request,
            authorized: isValue ? amount : 0,
            original: isValue ? amount : 0
        )
        answer["maskedPAN"] = .string("6***********\(purchase.card.lastFour)")
        if type == "BALANCE_INQUIRY" {
            answer["remainingAmount"] = .string(BridgePayForms.dollars(amount))
            answer["ISOCurrencyCode"] = "USD"
        }
        script.truly {
            $0.end(.completed)
            if isValue { $0.loaded = amount }
            if isValue || type == "BALANCE_INQUIRY" { $0.show("cardValue.amount", amount) }
            $0.ids["gatewayTransaction"] = .string(forms.gatewayID)
        }
        script.report("BPNPayment", ["BPNPaymentRequest": .object(asked), "BridgeCommResponse": .object(answer)])
    }
}
