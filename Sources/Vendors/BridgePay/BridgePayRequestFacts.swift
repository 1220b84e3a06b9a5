import Canonical
import Payments

/// The facts of a request without an answer: a payment was requested, or a command was sent.
struct BridgePayRequestFacts {
    private let request: BridgePayRequest
    private let at: ReportedTime?
    private let namesPayment: Bool

    init(_ request: BridgePayRequest, context: DocumentContext) {
        self.request = request
        at = context.reportedTime
        namesPayment = context.namesPayment
    }

    /// - Throws: `missingField` for an empty request.
    func observation() throws -> Observation {
        guard request.operation != nil || request.invoice != nil || request.fields.has("transactiontype") else {
            throw Refusal(
                .missingField,
                "A \(request.kind.rawValue) names its transactionType, amount or invoiceNumber.",
                pointer: request.fields.pointer(to: "transactionType")
            )
        }
        return Observation(
            subject: try subject(),
            keys: request.original.map {
                [ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: $0)]
            } ?? [],
            identity: nil,
            occurredAt: at,
            policy: BridgePayAdapter.policy,
            isTest: request.isTest
        )
    }

    private func subject() throws -> Observation.Subject {
        let amounts = try request.amounts(in: .usd, authorized: nil)
        let anomalies = request.anomalies(in: .usd, total: amounts?.total)
        guard let operation = request.operation else {
            return .unplaced(
                anomalies.isEmpty
                    ? [Anomaly(.unknownValue, "\(request.label("transactionType")) is not reported")] : anomalies
            )
        }
        // A credit that names an original is a refund of it. An unidentified payment could never be matched to an
        // answer and would stay requested forever.
        guard operation.family == .payment, !(operation == .credit && request.original != nil),
            namesPayment || request.original != nil
        else {
            return .device(nil, [try command(operation, amounts)], anomalies)
        }
        let references = References(
            gatewayTransaction: request.original,
            invoice: request.invoice,
            gatewayAccount: request.account,
            clerk: request.clerk,
            tipRecipient: request.tipRecipient
        )
        let asked = PaymentRequest(
            amounts: amounts,
            references: references,
            tender: request.tender?.rawValue,
            at: at,
            circumstances: request.circumstances(in: .usd)
        )
        return .transaction(
            [BridgePayFacts.requested(operation, asked)] + anomalies.map { .anomalyRaised($0) }
        )
    }

    private func command(_ operation: BridgePayOperation, _ amounts: Amounts?) throws -> DeviceEvent {
        var details: [Detail] = []
        for figure in amounts?.figures ?? [] { details.append(Detail(figure.field, figure.raw)) }
        if amounts == nil, let (_, figure) = try request.tip(in: .usd) {
            details.append(Detail(figure.field, figure.raw))
        }
        if let invoice = request.invoice { details.append(Detail("invoiceNumber", invoice)) }
        if let original = request.original { details.append(Detail("pnRefNum", original)) }
        // Until it is answered, the follow-up may have been made.
        if let followUp = request.followUp { details.append(Detail(AskedFollowUps.detail, followUp.rawValue)) }
        return DeviceEvent(
            .commandSent,
            DeviceReport(
                response: Response(code: operation.rawValue, message: request.kind.rawValue),
                details: details.isEmpty ? nil : details,
                at: at
            )
        )
    }
}
