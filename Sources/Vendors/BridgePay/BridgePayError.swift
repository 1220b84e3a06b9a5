import Canonical
import Payments

/// What PayGuardian hands over instead of an answer: an `NSError`, with the request where the app sends it along.
struct BridgePayError {
    private let fields: Fields
    private let request: BridgePayRequest?

    init(_ fields: Fields, request: BridgePayRequest?) {
        self.fields = fields
        self.request = request
    }

    func observation() throws -> Observation {
        guard let code = try fields.identifier("code", "errorcode") else {
            throw Refusal(.missingField, "An NSError has a code.", pointer: fields.pointer(to: "code"))
        }
        let domain = try fields.text("domain", "errordomain") ?? ""
        let meaning =
            domain.lowercased().contains("nsurl")
            ? BridgePayCodes.meaning(ofConnectionError: code) : BridgePayCodes.meaning(ofSDKError: code)
        let info = try fields.object("userinfo")
        let message = try info?.text("nslocalizeddescription") ?? fields.text("localizeddescription", "message")
        let references = References(
            gatewayTransaction: request?.original,
            invoice: request?.invoice,
            merchant: request?.account
        )
        let verdict = Verdict(
            evidence: .reader,
            response: Response(code: code, message: message),
            references: references
        )
        return Observation(
            subject: .transaction(try events(meaning, verdict)),
            keys: request?.original.map {
                [ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: $0)]
            } ?? [],
            identity: nil,
            occurredAt: nil,
            policy: BridgePayAdapter.policy
        )
    }

    private func events(_ meaning: CodeMeaning, _ verdict: Verdict) throws -> [TransactionEvent] {
        let end = BridgePayFacts.event(meaning, verdict)
        guard let request, let operation = request.operation else { return [end] }
        let payment = PaymentRequest(
            amounts: try request.amounts(in: .usd, authorized: nil),
            references: verdict.references,
            tender: request.tender
        )
        switch operation {
        case .sale: return [.saleRequested(payment), end]
        case .authorization: return [.authorizationRequested(payment), end]
        case .credit: return [.creditRequested(payment), end]
        case .verification: return [.verificationRequested(payment), end]
        // A follow-up that did not happen changes nothing; one that may have happened leaves a doubt.
        case .capture, .tipAdjust, .void, .refund:
            return meaning == .unknown ? [end, .anomalyRaised(.followUpInDoubt(operation.rawValue))] : []
        case .find: return meaning == .unknown ? [end] : []
        }
    }
}
