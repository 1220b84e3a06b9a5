import Canonical
import Payments

/// The facts of one gateway answer and its request.
struct BridgePayFacts {
    let response: BridgePayResponse
    let request: BridgePayRequest?
    /// Nil if neither request nor answer names it.
    let operation: BridgePayOperation?
    let meaning: CodeMeaning
    let answer: Response
    let references: References
    var anomalies: [Anomaly]

    init(_ response: BridgePayResponse, request: BridgePayRequest?, noting anomalies: [Anomaly] = []) throws {
        self.response = response
        self.request = request
        self.anomalies = anomalies
        let named = try response.operation(for: request)
        // A credit that names an original payment is a refund of it.
        operation = named == .credit && request?.original != nil ? .refund : named
        let (meaning, contradiction) = try response.meaning
        if let objection = try Self.objection(to: meaning, of: response, as: operation) ?? contradiction {
            self.meaning = .unknown
            self.anomalies.append(Anomaly(.conflictingOutcome, objection))
        } else {
            self.meaning = meaning
        }
        answer = try response.response
        references = try response.references(request)
    }

    /// Approval codes of follow-ups, not of payments.
    private static let followUpCodes: Set<String> = ["A03", "A06", "A07", "A08", "A09", "A12"]

    /// The reason why an apparent approval does not approve this operation.
    private static func objection(
        to meaning: CodeMeaning,
        of response: BridgePayResponse,
        as operation: BridgePayOperation?
    ) throws -> String? {
        guard meaning.isApproval, let operation, operation.family == .payment else { return nil }
        if let code = response.messageCode, followUpCodes.contains(code) || code == "A02" && operation != .credit {
            return "the gateway answers a \(operation.rawValue) with \(code)"
        }
        switch try response.result.flatMap({ Int($0) }) {
        case 80005?, 80006?: return "the gateway reports both an approval and a void of the \(operation.rawValue)"
        default: return nil
        }
    }

    func observation() throws -> Observation {
        var facts = self
        facts.anomalies += try response.anomalies
        let subject = try facts.subject()
        return Observation(
            subject: subject,
            keys: keys,
            identity: try identity,
            occurredAt: response.at,
            policy: BridgePayAdapter.policy
        )
    }

    private var keys: [ReferenceKey] {
        var ids: [String] = []
        for id in [request?.original, response.gatewayTransaction] {
            if let id, !ids.contains(where: { $0.hasSameUTF8(as: id) }) { ids.append(id) }
        }
        return ids.map { ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: $0) }
    }

    private var identity: DocumentIdentity? {
        get throws {
            guard let id = response.gatewayTransaction else { return nil }
            return DocumentIdentity(
                account: try response.fields.identifier("merchantaccountcode") ?? request?.account
                    ?? references.merchant,
                transaction: id,
                kind: operation?.rawValue ?? "unknown",
                time: try response.fields.text("isotransactiondate", "transactiondate")
            )
        }
    }

    private mutating func subject() throws -> Observation.Subject {
        guard let operation else { return try unnamed() }
        noteRequest()
        switch operation.family {
        case .payment: return .transaction(try payment(operation) + notes())
        case .followUp(let followUp): return .transaction(try facts(of: followUp, operation) + notes())
        case .query: return .transaction(try resolution() + notes())
        case .value: return try value(operation)
        case .service: return service(operation)
        case .batch: return try settlement()
        }
    }

    /// Notes limits that the request breaks, and a duplicate suspected by the gateway.
    private mutating func noteRequest() {
        if let request {
            let total = try? request.amounts(in: response.currency, authorized: nil)?.total
            anomalies += request.anomalies(in: response.currency, total: total)
        }
        guard response.messageCode == "D09" || (try? response.result) == "30036" else { return }
        let isForced = (try? request?.isForced) ?? false
        anomalies.append(
            Anomaly(
                .duplicateSuspected,
                "the gateway reports it as a repeat of another transaction\(isForced ? ", although forceOnDuplicate is set" : "")"
            )
        )
    }

    /// The answer's other details, and all anomalies.
    private func notes() throws -> [TransactionEvent] {
        let details = try response.details
        let report = DeviceReport(response: answer, details: details, at: response.at)
        let reported: [TransactionEvent] =
            details.isEmpty ? [] : [.device(DeviceEvent(.authorizationAnswered, report))]
        return reported + anomalies.map { .anomalyRaised($0) }
    }

    /// The answer to a request of unknown type. Approvals and denials can still be recorded if it is an authorisation
    /// request.
    private mutating func unnamed() throws -> Observation.Subject {
        let type = try response.fields.text("requesttype").flatMap { BridgePayRequestType($0) }
        if type == .authorization {
            anomalies.append(
                Anomaly(
                    .operationAssumed,
                    "neither request nor answer names the operation; only the answer is recorded"
                )
            )
            return .transaction(try answerAlone() + notes())
        }
        if anomalies.isEmpty {
            anomalies.append(
                Anomaly(.unknownValue, "neither requestType nor responseTypeDescription names the operation")
            )
        }
        return .unplaced(anomalies)
    }

    /// - Parameter meaning: Any meaning except an approval.
    static func event(_ meaning: CodeMeaning, _ verdict: Verdict) -> TransactionEvent {
        switch meaning {
        case .declined: .declined(verdict)
        case .cancelled: .cancelled(verdict)
        case .failed: .failed(verdict)
        case .unknown, .approved, .partiallyApproved: .outcomeUnknown(verdict)
        }
    }
}
