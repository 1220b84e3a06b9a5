import Canonical
import Payments

extension HandpointTill {
    /// A void under this payment's name with the EFT reference of another one, or of none.
    mutating func voidAnother(_ script: inout Script) {
        script.wait(seconds: random.within(60...1_500))
        script.truly { $0.flags = WrongReference.flags }
        let other = purchase.other
        let named = other?.id("gatewayTransaction") ?? Self.reference(&random)
        let amount = other?.captured ?? purchase.basket.total
        script.report("saleVoidWithAmount", forms.voidRequest(amount, of: named))
        script.wait(seconds: random.within(5...25))
        var ending = approval
        ending.type = "VOID_SALE"
        ending.original = named
        if let other {
            WrongReference.void(other, by: &script)
            ending.message = "REVERSAL ACCEPTED"
            ending.reference = Self.reference(&random)
        } else {
            ending.financial = "DECLINED"
            ending.result = 2
            ending.message = "DECLINED"
            ending.reference = nil
        }
        finish(&script, ending)
    }
}
