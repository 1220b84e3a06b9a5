package import Canonical
package import Payments
import ReplayRules

/// One call to a gateway about a payment, with its result.
package struct GatewayQuery: Sendable, Hashable {
    /// The end of a call.
    package struct End: Sendable, Hashable {
        package var event: GatewayEventName
        package var position: Int64
        package var at: Timestamp
        package var verdict: GatewayVerdictName?
        /// The difference between the found transaction and the payment.
        package var differs: String?
        /// The reason for a missing answer: one of the codes of `GatewayFailure`, or `abandoned`.
        package var failure: String?
        package var response: Response
    }

    /// The position of the event recorded before the call.
    package var position: Int64
    package var reference: String
    package var gateway: String
    package var vendor: Vendor
    package var operation: GatewayOperation
    /// The reference of the earlier call that this one queries.
    package var about: String?
    package var sentAt: Timestamp
    /// Nil while the call is in progress, and when the end of a process interrupted it.
    package var end: End?

    /// Every call about a payment, in order.
    static func all(in facts: [RecordedFact]) -> [GatewayQuery] {
        var calls: [GatewayQuery] = []
        for fact in facts {
            guard case .gateway(let event) = fact.event else { continue }
            let report = event.report
            guard event.name != .callSent else {
                calls.append(
                    GatewayQuery(
                        position: fact.position,
                        reference: report.reference,
                        gateway: report.gateway,
                        vendor: report.vendor,
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

/// The event that caused a payment's doubt, with its content.
package struct DoubtCause: Sendable, Hashable {
    package var position: Int64
    /// The type of the event.
    package var event: String
    package var at: Timestamp
    /// The vendor's code and text, or the ledger's finding.
    package var response: Response
    /// The follow-up in doubt; nil for the payment itself.
    package var followUp: FollowUpInDoubt?

    /// - Parameters:
    ///   - position: The position of the event. If no event has it, the interrupted call is used.
    ///   - acting: The reference of the last call that may have taken effect.
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
            followUp = anomaly.inDoubt
        case .gateway(let reported):
            response = Response(code: reported.report.failure ?? reported.report.response.code)
            followUp = reported.report.operation.followUp.map { FollowUpInDoubt($0) }
        default: response = Response()
        }
    }
}
