import Canonical
package import Payments

/// Reads what BridgePay's PayGuardian for iOS hands to the app: `BPNPayment` with the gateway's answer and the
/// receipt, or an `NSError`; best with the `BPNPaymentRequest` it belongs to, without which a capture has no amount.
///
/// Source: PayGuardian iOS integration guide; code tables as in `BridgePayCodes`.
package struct BridgePayAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .bridgepay }

    package var kinds: [String] { ["BPNPayment", "BridgeCommResponse", "NSError", "runOnCompletion"] }

    /// The tip of a capture comes on top of the authorised amount, and an authorisation is captured once.
    static let policy = LifecyclePolicy(tipExceedsAuthorization: true, capturesOnce: true)

    package func redactionSchema(for kind: String) -> RedactionSchema { Self.redactionSchema }

    package func interpret(
        _ document: ScrubbedDocument,
        kind: String,
        context: DocumentContext
    ) throws(Refusal) -> Observation {
        try Refusal.only { try read(document, kind: kind, at: context.occurredAt) }
    }

    /// - Parameter time: The sender's, for answers that carry none: without it the same tip, set again, would look told.
    private func read(_ document: ScrubbedDocument, kind: String, at time: Timestamp?) throws -> Observation {
        guard case .object(let object) = document.value else {
            throw Refusal(.malformedDocument, "The document is a JSON object.", pointer: "")
        }
        let body = Fields(object)
        switch kind {
        case "BPNPayment": return try payment(body.object("bpnpayment") ?? body, beside: body, at: time)
        case "BridgeCommResponse":
            let fields = try body.object("bridgecommresponse") ?? body
            return try answer(fields, receipt: body.object("bpnreceipt"), request: request(in: body), at: time)
        case "NSError":
            return try BridgePayError(body.object("nserror", "error") ?? body, request: request(in: body)).observation()
        case "runOnCompletion":
            if let payment = try body.object("payment", "bpnpayment") {
                return try self.payment(payment.object("bpnpayment") ?? payment, beside: body, at: time)
            }
            guard let error = try body.object("error", "nserror") else {
                throw Refusal(.missingField, "runOnCompletion carries a payment or an error.", pointer: "/payment")
            }
            return try BridgePayError(error, request: request(in: body)).observation()
        default:
            throw Refusal(.unknownKind, "Known are: \(kinds.joined(separator: ", ")).")
        }
    }

    private func payment(_ payment: Fields, beside body: Fields, at time: Timestamp?) throws -> Observation {
        guard let response = try payment.object("bridgecommresponse", "response") else {
            throw Refusal(
                .missingField,
                "A BPNPayment carries a BridgeCommResponse.",
                pointer: payment.pointer(to: "BridgeCommResponse")
            )
        }
        let receipt = try payment.object("bpnreceipt", "receipt")
        return try answer(response, receipt: receipt, request: request(in: payment) ?? request(in: body), at: time)
    }

    private func answer(
        _ fields: Fields,
        receipt: Fields?,
        request: BridgePayRequest?,
        at time: Timestamp?
    ) throws -> Observation {
        try BridgePayFacts(BridgePayResponse(fields, receipt: receipt, at: time), request: request).observation()
    }

    private func request(in fields: Fields) throws -> BridgePayRequest? {
        if let find = try fields.object("bpnfindrequest") { return try BridgePayRequest(find, presuming: .find) }
        return try fields.object("bpnpaymentrequest", "bpntokenrequest", "request").map {
            try BridgePayRequest($0)
        }
    }
}
