import Canonical

extension BridgePayTill {
    /// The app posts the answer without its request.
    func reportAlone(_ script: inout Script, _ payment: JSONObject) {
        var payment = payment
        payment["BPNPaymentRequest"] = nil
        script.report("BPNPayment", .object(payment))
    }
}
