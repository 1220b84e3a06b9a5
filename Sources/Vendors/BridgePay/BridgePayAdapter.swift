import Canonical
package import Payments
package import Redaction

/// Reads the documents that BridgePay's PayGuardian for iOS passes to the app: `BPNPayment` with the gateway's answer
/// and the receipt, or an `NSError`. Both are best read with their `BPNPaymentRequest`; without it, a capture has no
/// amount. It also reads requests alone, and the callbacks of reader and transaction.
///
/// Objects arrive as JSON or as the text that PayGuardian prints. Source: PayGuardian iOS integration guide; code
/// tables as in `BridgePayCodes`.
package struct BridgePayAdapter: VendorAdapter {
    package init() {}

    package var vendor: Vendor { .bridgepay }

    private static let answers = ["BPNPayment", "BridgeCommResponse", "NSError", "runOnCompletion"]
    private static let callbacks = [
        "onStateChanged", "onReaderStateChanged", "onCardDataAvailable", "EMVMessage", "BPNReceipt",
    ]

    package var kinds: [String] {
        Self.answers + BridgePayRequest.Kind.allCases.map(\.rawValue) + Self.callbacks + BridgePayCallbacks.commands
    }

    /// A capture's tip is added to the authorised amount, and an authorisation is captured once.
    static let policy = LifecyclePolicy(tipExceedsAuthorization: true, capturesOnce: true)

    package func redactionSchema(for kind: String) -> RedactionSchema { Self.redactionSchema }

    package func interpret(
        _ document: ScrubbedDocument,
        kind: String,
        context: DocumentContext
    ) throws(Refusal) -> Observation {
        try Refusal.only { try read(document, kind: kind, context: context) }
    }

    private func read(_ document: ScrubbedDocument, kind: String, context: DocumentContext) throws -> Observation {
        // For answers without a time: without this one, setting the same tip twice would look like a duplicate.
        let time = context.reportedTime
        guard kinds.contains(kind) else {
            throw Refusal(.unknownKind, "Known kinds: \(kinds.joined(separator: ", ")).")
        }
        let (object, anomalies) = try BridgePayText.structured(document.value)
        let body = Fields(object)
        if let kind = BridgePayRequest.Kind(rawValue: kind) {
            let own = try body.object(SensitiveNames.normalized(kind.rawValue), "request") ?? body
            return try BridgePayRequestFacts(BridgePayRequest(own, as: kind), context: context).observation()
        }
        switch kind {
        case "BPNPayment":
            return try payment(
                body.object("bpnpayment") ?? body,
                beside: body,
                at: time,
                naming: context.namesPayment,
                noting: anomalies
            )
        case "BridgeCommResponse":
            let fields = try body.object("bridgecommresponse") ?? body
            let receipt = try body.object("bpnreceipt")
            return try answer(
                fields,
                receipt: receipt,
                request: request(in: body),
                at: time,
                naming: context.namesPayment,
                noting: anomalies
            )
        case "NSError":
            return try error(body.object("nserror", "error") ?? body, beside: body, context: context, noting: anomalies)
        case "runOnCompletion":
            if let payment = try body.object("payment", "bpnpayment") {
                return try self.payment(
                    payment.object("bpnpayment") ?? payment,
                    beside: body,
                    at: time,
                    naming: context.namesPayment,
                    noting: anomalies
                )
            }
            guard let fields = try body.object("error", "nserror") else {
                throw Refusal(.missingField, "runOnCompletion must have a payment or an error.", pointer: "/payment")
            }
            return try error(fields, beside: body, context: context, noting: anomalies)
        default:
            return try BridgePayCallbacks(body.object(SensitiveNames.normalized(kind)) ?? body, at: time)
                .observation(of: kind)
        }
    }

    private func payment(
        _ payment: Fields,
        beside body: Fields,
        at time: ReportedTime?,
        naming namesPayment: Bool,
        noting anomalies: [Anomaly]
    ) throws -> Observation {
        let receipt = try payment.object("bpnreceipt", "receipt")
        let request = try request(in: payment) ?? request(in: body)
        // A printed response may have no name.
        let printed = payment.has("gatewayresult") || payment.has("responsecode") ? payment : nil
        guard let response = try payment.object("bridgecommresponse", "response") ?? printed else {
            throw Refusal(
                .missingField,
                "A BPNPayment must have a BridgeCommResponse.",
                pointer: payment.pointer(to: "BridgeCommResponse")
            )
        }
        return try answer(
            response,
            receipt: receipt,
            request: request,
            at: time,
            naming: namesPayment,
            noting: anomalies
        )
    }

    private func answer(
        _ fields: Fields,
        receipt: Fields?,
        request: BridgePayRequest?,
        at time: ReportedTime?,
        naming namesPayment: Bool,
        noting anomalies: [Anomaly]
    ) throws -> Observation {
        let response = try BridgePayResponse(fields, receipt: receipt, at: time)
        return try BridgePayFacts(response, request: request, noting: anomalies, namesPayment: namesPayment)
            .observation()
    }

    private func error(
        _ fields: Fields,
        beside body: Fields,
        context: DocumentContext,
        noting anomalies: [Anomaly]
    ) throws -> Observation {
        try BridgePayError(fields, request: request(in: body), noting: anomalies).observation(in: context)
    }

    func request(in fields: Fields) throws -> BridgePayRequest? {
        for kind in BridgePayRequest.Kind.allCases {
            if let request = try fields.object(SensitiveNames.normalized(kind.rawValue)) {
                return try BridgePayRequest(request, as: kind)
            }
        }
        return try fields.object("request").map { try BridgePayRequest($0, as: .payment) }
    }
}
