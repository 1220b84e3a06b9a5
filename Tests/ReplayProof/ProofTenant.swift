import Canonical
import DaybookTestKit
import Gateways

/// A tenant of the proof: its keys, its merchant account at the gateway, and its sales.
struct ProofTenant: Sendable {
    let name: String
    /// Its only merchant account. Both tenants' accounts are at the same stand-in.
    let account: String
    /// Before the number of each invoice and each reference of the app.
    let prefix: String
    var api: ProofAPI
    /// The app's access to the gateway.
    let gateway: any PaymentGateway
    var sold = ProofApp.Sold()

    /// - Parameter prefix: Of invoices and references.
    static func make(
        _ name: String,
        account: String,
        prefix: String,
        gateway: any PaymentGateway,
        _ daybook: Daybook
    ) async throws -> ProofTenant {
        ProofTenant(
            name: name,
            account: account,
            prefix: prefix,
            api: ProofAPI(
                ports: [],
                app: try await daybook.key(tenant: name),
                planner: try await daybook.key(tenant: name, scopes: "read,replay:plan,reconcile", holder: "ann"),
                approver: try await daybook.key(tenant: name, scopes: "read,replay:approve", holder: "bob")
            ),
            gateway: gateway
        )
    }

    /// Records a sale whose answer the app did not receive, with its card token.
    ///
    /// - Parameters:
    ///   - account: The merchant account that the app's document names.
    /// - Returns: The payment.
    func recordDoubt(
        _ reference: String,
        invoice: String,
        _ amount: String,
        account: String,
        from first: Int = 0
    ) async throws -> String {
        let record: JSONValue = [
            "kind": "NSError", "transaction": .string(reference),
            "body": [
                "BPNPaymentRequest": [
                    "invoiceNumber": .string(invoice), "amount": .string(amount),
                    "tenderType": "TENDER_TYPE_CREDIT", "transactionType": "TRANSACTION_TYPE_SALE",
                    "merchantAccountCode": .string(account),
                ],
                // The request timed out.
                "NSError": ["domain": "NSURLErrorDomain", "code": "-1001"],
            ],
        ]
        let answer = try await api.json("POST", "/v1/intake/bridgepay", record, key: api.app, from: first)
        guard let id = answer["transaction"]?.string else { throw TestKitError("\(reference): \(answer.text)") }
        let token: JSONValue = ["token": .string(ProofApp.token)]
        _ = try await api.json("PUT", "/v1/transactions/\(id)/card-token", token, key: api.app, from: first)
        return id
    }
}
