package import Canonical
package import Payments
import ReplayRules

/// One call to a gateway about a payment, and what came of it.
package struct GatewayQuestion: Sendable, Hashable {
    /// How a call ended.
    package struct End: Sendable, Hashable {
        package var event: GatewayEventName
        package var position: Int64
        package var at: Timestamp
        package var verdict: GatewayVerdictName?
        /// What tells the transaction that was found from the payment.
        package var differs: String?
        /// Why there is no answer: one of the codes of `GatewayFailure`, or `abandoned`.
        package var failure: String?
        package var response: Response
    }

    /// Of the event that says that it is about to be made.
    package var position: Int64
    package var reference: String
    package var gateway: String
    package var operation: GatewayOperation
    /// The reference of the earlier call that it asks about.
    package var about: String?
    package var sentAt: Timestamp
    /// Nil while it is under way, or was cut short by the end of a process.
    package var end: End?

    /// Every call about a payment, in order.
    static func all(in facts: [RecordedFact]) -> [GatewayQuestion] {
        var calls: [GatewayQuestion] = []
        for fact in facts {
            guard case .gateway(let event) = fact.event else { continue }
            let report = event.report
            guard event.name != .callSent else {
                calls.append(
                    GatewayQuestion(
                        position: fact.position,
                        reference: report.reference,
                        gateway: report.gateway,
                        operation: report.operation,
                        about: report.about,
                        sentAt: report.at ?? fact.at
                    )
                )
                continue
            }
            guard let index = calls.lastIndex(where: { $0.reference == report.reference && $0.end == nil }) else {
                continue
            }
            calls[index].end = End(
                event: event.name,
                position: fact.position,
                at: report.at ?? fact.at,
                verdict: report.verdict,
                differs: report.differs,
                failure: report.failure,
                response: report.response
            )
        }
        return calls
    }
}

/// Which event leaves a payment in doubt, and what it says.
package struct DoubtCause: Sendable, Hashable {
    package var position: Int64
    /// The type of the event.
    package var event: String
    package var at: Timestamp
    /// What the vendor's code and text were, or what the ledger found.
    package var response: Response
    /// The follow-up that is in doubt, by the name in the anomaly that tells of it; nil for the payment itself.
    package var followUp: String?

    /// - Parameters:
    ///   - position: Of the event; of none, the call that was cut short tells.
    ///   - acting: The last call that may have acted.
    init?(at position: Int64, or acting: String?, in facts: [RecordedFact]) {
        let fact =
            facts.first { $0.position == position }
            ?? facts.last { fact in
                guard case .gateway(let event) = fact.event else { return false }
                return event.name == .callSent && event.report.reference == acting
            }
        guard let fact else { return nil }
        self.position = fact.position
        at = fact.at
        event = fact.event.type
        switch fact.event {
        case .outcomeUnknown(let reported): response = reported.response
        case .anomalyRaised(let anomaly):
            response = Response(message: anomaly.explanation)
            followUp = anomaly.followUpInDoubt
        case .gateway(let reported):
            response = Response(code: reported.report.failure ?? reported.report.response.code)
            if ReplayOperation(reported.report.operation)?.isPayment == false {
                followUp = reported.report.operation.rawValue
            }
        default: response = Response()
        }
    }
}
