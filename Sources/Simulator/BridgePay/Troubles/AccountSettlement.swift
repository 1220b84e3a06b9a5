import Canonical

extension BridgePayForms {
    /// The answer to a settlement initiation, request type 020: guide, line 799.
    static func settlement(of account: String, isRefused: Bool) -> JSONObject {
        [
            "transactionID": "", "requestType": "020", "responseCode": isRefused ? "2" : "0",
            "responseDescription": isRefused ? "Settlement failed" : "Successful Request", "token": "(null)",
            "authorizationCode": "(null)", "originalReferenceNumber": "", "authorizedAmount": "$0.00",
            "originalAmount": "$0.00", "gatewayTransactionID": "",
            "gatewayMessage": isRefused ? "D26 - Settlement Failed" : "A10 - Request Accepted",
            "gatewayResult": isRefused ? "30028" : "00000", "remainingAmount": "$0.00", "maskedPAN": "",
            "merchantCode": "(null)", "merchantAccountCode": .string(account),
        ]
    }
}
