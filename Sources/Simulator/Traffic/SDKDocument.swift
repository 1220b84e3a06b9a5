package import Canonical
package import Payments

/// One report of an SDK to its app, as the app posts it.
package struct SDKDocument: Sendable, Hashable {
    package var vendor: Vendor
    /// The SDK's own name of the callback or structure.
    package var kind: String
    package var body: JSONValue
    /// The app's name for the payment; nil if it is not about a payment.
    package var reference: String?
    package var merchant: String
    package var terminal: String
    package var device: String
    /// By the correct clock.
    package var at: Timestamp
    /// By the device's clock.
    package var occurredAt: Timestamp
    package var idempotencyKey: String
    /// Whether the app names them.
    package var namesMerchant = true
    package var namesTerminal = true
    /// Additional microseconds until it is sent.
    var delay: Int64 = 0

    /// The record that goes to `POST /v1/intake/{vendor}`.
    package var record: JSONValue {
        var record: JSONObject = ["kind": .string(kind), "body": body]
        if let reference { record["transaction"] = .string(reference) }
        if namesMerchant { record["merchant"] = .string(merchant) }
        if namesTerminal { record["terminal"] = .string(terminal) }
        record["device"] = .string(device)
        record["occurredAt"] = .string(occurredAt.rfc3339)
        record["idempotencyKey"] = .string(idempotencyKey)
        return .object(record)
    }
}

extension SDKDocument {
    /// Whether it names an account at the gateway, or a store at the wallet's platform.
    func names(account: String) -> Bool { Self.names(account, in: body) }

    private static let accountFields: Set = ["merchantAccountCode", "storeLocation", "storeCode"]

    private static func names(_ account: String, in value: JSONValue) -> Bool {
        if let elements = value.array { return elements.contains { names(account, in: $0) } }
        return value.object?.members.contains { member in
            accountFields.contains(member.key) && member.value.string == account || names(account, in: member.value)
        } ?? false
    }
}

extension SDKDocument {
    /// The tender that a request of BridgePay for a payment names, in the ledger's words. Requests about an earlier
    /// payment name one that counts for nothing.
    var tender: String? {
        let requests: [JSONValue?] = [
            body, body["BPNPaymentRequest"], body["request"], body["payment"]?["BPNPaymentRequest"],
        ]
        let request = requests.compactMap(\.self).first { request in
            request["transactionType"]?.string.map { Self.payments.contains($0) } ?? false
        }
        return request?["tenderType"]?.string.map {
            $0.replacing("TENDER_TYPE_", with: "").lowercased().replacing("_", with: "-")
        }
    }

    private static let payments = Set(
        ["SALE", "SALE_AUTH", "CREDIT", "ACCOUNT_VERIFICATION"].map { "TRANSACTION_TYPE_\($0)" }
    )
}

/// A document on its way to the ledger.
package struct Delivery: Sendable, Hashable {
    package var document: SDKDocument
    /// The time of sending, by the correct clock.
    package var at: Timestamp
    /// The order of deliveries with the same time.
    package var order: Int

    package static func isBefore(_ left: Delivery, _ right: Delivery) -> Bool {
        (left.at, left.order) < (right.at, right.order)
    }
}
