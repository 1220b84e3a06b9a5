import Canonical
import Payments

extension BridgePayTill {
    /// A void under this payment's name with the gateway's id of another one, or of none.
    mutating func voidAnother(_ script: inout Script) {
        wait(120...1_500, &script)
        script.truly { $0.flags = WrongReference.flags }
        guard let other = purchase.other, let id = other.id("gatewayTransaction") else {
            let request = forms.request("VOID", amount: nil, original: purchase.hostID(9))
            let unknown = BridgePayTestAmounts.Answer(message: nil, text: "Invalid GatewayTransID", result: "80008")
            var response = forms.followUpResponse(unknown, type: "012")
            response["responseDescription"] = "Request Failed"
            response["gatewayTransactionID"] = "(null)"
            return report(&script, request, response, receipt: nil)
        }
        WrongReference.void(other, by: &script)
        let request = forms.request("VOID", amount: other.captured, original: id)
        var response = forms.followUpResponse(.voided, type: "012", authorized: other.captured)
        response["gatewayTransactionID"] = .string(id)
        report(&script, request, response, receipt: nil)
    }
}
