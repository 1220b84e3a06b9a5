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
    /// True if the sender names the document's payment.
    private let namesPayment: Bool

    init(
        _ response: BridgePayResponse,
        request: BridgePayRequest?,
        noting anomalies: [Anomaly] = [],
        namesPayment: Bool = false
    ) throws {
        self.namesPayment = namesPayment
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
        facts.anomalies += try receiptAnomalies()
        if meaning.isApproval, try response.fields.text("cvresult")?.uppercased() == BridgePayCodeCheck.differs.rawValue
        {
            facts.anomalies.append(Anomaly(.riskReported, "approved although the card's verification value differs"))
        }
        let subject = try facts.subject()
        return Observation(
            subject: subject,
            // The ids of a service belong to no payment.
            keys: operation?.family == .service ? [] : keys,
            identity: try identity,
            occurredAt: response.at,
            policy: BridgePayAdapter.policy,
            isTest: request?.isTest
        )
    }

    /// What the receipt beside the answer prints otherwise than the answer.
    private func receiptAnomalies() throws -> [Anomaly] {
        guard let receipt = response.receipt, meaning.isApproval else { return [] }
        var anomalies: [Anomaly] = []
        let codes = [
            try receipt.identifier("authorizationcode"), try response.fields.identifier("authorizationcode"),
        ].compactMap(\.self)
        if codes.count == 2, codes[0] != codes[1] {
            anomalies.append(
                Anomaly(.conflictingOutcome, "the receipt prints another authorization code than the answer")
            )
        }
        var reader = FigureReader(currency: response.currency)
        guard let total = try? reader.decimal(receipt, "totalamount", as: "BPNReceipt.totalAmount"), !total.isZero
        else { return anomalies }
        let asked = try? request?.amounts(in: response.currency, authorized: nil)?.total
        // A capture's answer prints zeros, and a tip may be beside the requested amount.
        let authorized = try response.printed("authorizedamount", as: "authorizedAmount")?.money
        if let authorized, !authorized.isZero, authorized != total, asked != total {
            anomalies.append(Anomaly(.conflictingAmount, "the receipt prints \(total), the answer \(authorized)"))
        }
        return anomalies
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
        try noteAssumption()
        switch operation.family {
        case .payment: return .transaction(try payment(operation) + notes())
        case .followUp(let followUp): return .transaction(try facts(of: followUp, operation) + notes())
        case .query:
            // Nothing names the payment that was not found.
            if keys.isEmpty, !namesPayment, Int(try response.result ?? "") == 800011 { return service(operation) }
            return .transaction(try resolution() + notes())
        case .value: return try value(operation)
        case .service: return service(operation)
        case .batch: return try settlement()
        }
    }

    /// Notes limits that the request breaks, and a duplicate suspected by the gateway.
    private mutating func noteRequest() {
        if let request {
            let authorized = (try? response.printed("authorizedamount", as: "authorizedAmount"))?.money
            let total = try? request.amounts(in: response.currency, authorized: authorized)?.total
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

    /// Voids and refunds share the request type 012. Without request, description and message code, the answer does not
    /// show which of them was made.
    private mutating func noteAssumption() throws {
        guard request == nil, operation == .void, response.messageCode == nil || response.messageCode == "A01",
            try response.described == nil
        else { return }
        anomalies.append(
            Anomaly(.operationAssumed, "request type 012 is a void or a refund; a void was assumed")
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
