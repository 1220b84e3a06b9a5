import Canonical
import Payments

/// The `NSError` that PayGuardian returns instead of an answer, with the request if the app sends it along.
struct BridgePayError {
    private let fields: Fields
    private let request: BridgePayRequest?
    private var anomalies: [Anomaly]

    init(_ fields: Fields, request: BridgePayRequest?, noting anomalies: [Anomaly] = []) {
        self.fields = fields
        self.request = request
        self.anomalies = anomalies
    }

    /// - Parameter context: Supplies the time; an error has none.
    func observation(in context: DocumentContext) throws -> Observation {
        let time = context.reportedTime
        guard let code = try fields.identifier("code", "errorcode") else {
            throw Refusal(.missingField, "An NSError has a code.", pointer: fields.pointer(to: "code"))
        }
        let domainName = try fields.text("domain", "errordomain") ?? ""
        let domain = BridgePayErrorDomain(domainName)
        var anomalies = anomalies
        if domain == nil { anomalies.append(.unlisted("NSError.domain", domainName)) }
        let meaning = domain?.meaning(of: code)
        if domain != nil, meaning == nil { anomalies.append(.unlisted("NSError.code", code)) }
        let info = try fields.object("userinfo")
        let message = try info?.text("nslocalizeddescription") ?? fields.text("localizeddescription", "message")
        let references = References(
            gatewayTransaction: request?.original,
            invoice: request?.invoice,
            gatewayAccount: request?.account
        )
        let verdict = Verdict(
            evidence: .reader,
            response: Response(code: code, message: message),
            references: references,
            at: time,
            means: request?.operation?.family == .query ? .find : nil
        )
        if let request {
            let total = try request.amounts(in: .usd, authorized: nil)?.total
            anomalies += request.anomalies(in: .usd, total: total)
        }
        var observation = Observation(
            subject: context.namesPayment || request?.original != nil
                ? try subject(meaning ?? .unknown, verdict, anomalies) : reported(verdict, anomalies),
            keys: request?.original.map {
                [ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: $0)]
            } ?? [],
            identity: nil,
            occurredAt: time,
            policy: BridgePayAdapter.policy,
            isTest: request?.isTest
        )
        // An error without its request may be that of the follow-up that was asked for.
        if request == nil {
            let raised: [TransactionEvent] = anomalies.map { .anomalyRaised($0) }
            for followUp in FollowUp.allCases {
                observation.ifAsked[.followUp(followUp)] = facts(of: followUp, meaning ?? .unknown, verdict) + raised
            }
        }
        return observation
    }

    /// An error without an identified payment is reported for the device. As a payment it would create a new one that
    /// stays failed or in doubt forever.
    private func reported(_ verdict: Verdict, _ anomalies: [Anomaly]) -> Observation.Subject {
        var details: [Detail] = []
        if let operation = request?.operation { details.append(Detail("operation", operation.rawValue)) }
        if let invoice = request?.invoice { details.append(Detail("invoiceNumber", invoice)) }
        let report = DeviceReport(
            response: verdict.response,
            details: details.isEmpty ? nil : details,
            at: verdict.at
        )
        return .device(nil, [DeviceEvent(.readerErrorReported, report)], anomalies)
    }

    private func subject(
        _ meaning: CodeMeaning,
        _ verdict: Verdict,
        _ anomalies: [Anomaly]
    ) throws -> Observation.Subject {
        let end = BridgePayFacts.event(meaning, verdict)
        let raised: [TransactionEvent] = anomalies.map { .anomalyRaised($0) }
        guard let request, let operation = request.operation else { return .transaction([end] + raised) }
        // A credit that names an original is a refund of it.
        switch operation == .credit && request.original != nil ? .followUp(.refund) : operation.family {
        case .payment:
            let payment = PaymentRequest(
                amounts: try request.amounts(in: .usd, authorized: nil),
                references: verdict.references,
                tender: request.tender?.rawValue,
                at: verdict.at,
                circumstances: request.circumstances(in: .usd)
            )
            return .transaction([BridgePayFacts.requested(operation, payment), end] + raised)
        case .followUp(let followUp):
            return .transaction(facts(of: followUp, meaning, verdict) + raised)
        case .query: return .transaction((meaning == .unknown ? [end] : []) + raised)
        case .value where operation != .balanceInquiry && operation != .token:
            var verdict = verdict
            verdict.value = operation.valueEvent
            return .transaction([BridgePayFacts.event(meaning, verdict)] + raised)
        case .value, .service, .batch:
            let report = DeviceReport(
                response: verdict.response,
                details: [Detail("operation", operation.rawValue)],
                at: verdict.at
            )
            return .device(nil, [DeviceEvent(.commandAnswered, report)], anomalies)
        }
    }

    /// A follow-up that did not happen changes nothing; one that may have happened is in doubt.
    private func facts(of followUp: FollowUp, _ meaning: CodeMeaning, _ verdict: Verdict) -> [TransactionEvent] {
        guard
            let refusal = BridgePayFacts.refusal(
                of: followUp,
                meaning,
                request,
                in: .usd,
                by: .reader,
                verdict.response,
                at: verdict.at
            )
        else { return [.outcomeUnknown(verdict), .anomalyRaised(.followUpInDoubt(followUp))] }
        return [.followUpRefused(refusal)]
    }
}
