import Payments

// The answer to a find request: evidence about a payment with an unknown outcome, and about later changes to it.
extension BridgePayFacts {
    mutating func resolution() throws -> [TransactionEvent] {
        switch try response.result.flatMap({ Int($0) }) {
        // No such transaction, so nothing was posted.
        case 800011: return [resolved(.notPosted, nil)]
        case 80003:
            anomalies.append(
                Anomaly(.duplicateSuspected, "the gateway has more than one transaction of this description")
            )
            return [unresolved]
        default: break
        }
        if let followUp = try foundFollowUp() { return followUp }
        // The found transaction is a credit, or a refund of the queried payment.
        if let code = response.messageCode, code == "A02" || code == "A08" {
            return [resolved(.approved, try amounts().approved, operation: .credit)]
        }
        switch meaning {
        case .approved: return [resolved(.approved, try amounts().approved)]
        case .partiallyApproved: return [resolved(.partiallyApproved, try amounts().approved)]
        case .declined, .cancelled: return [resolved(.declined, nil)]
        // The gateway did not understand the query; this proves nothing about the payment.
        case .failed: return []
        case .unknown: return [unresolved]
        }
    }

    /// The later change to the payment, if the found transaction is such a change.
    private func foundFollowUp() throws -> [TransactionEvent]? {
        let id = "found:\(response.gatewayTransaction ?? request?.original ?? "")"
        let amount = try response.printed("authorizedamount", as: "BridgeCommResponse.authorizedAmount")?.money
        let reported = amount.flatMap { $0.isZero ? nil : $0 }
        func taken(_ amount: Money?) -> Return {
            Return(
                id: id,
                amount: amount,
                evidence: .gateway,
                response: answer,
                references: references,
                at: response.at
            )
        }
        switch response.messageCode {
        case "A03", "A06": return [.voided(taken(nil))]
        // The partial void may already be recorded under another id; recording it again would reverse the amount twice.
        case "A07": return [unresolved, .anomalyRaised(.followUpInDoubt(.partialVoid))]
        case "D24": return [.chargedBack(taken(reported))]
        case "D26":
            let settlement = Settlement(id: id, amount: nil, evidence: .gateway, response: answer, at: response.at)
            return [.settlementRejected(settlement)]
        case "X04":
            return [.expired(Settlement(id: id, amount: nil, evidence: .gateway, response: answer, at: response.at))]
        default: return nil
        }
    }

    private var unresolved: TransactionEvent {
        .outcomeUnknown(
            Verdict(evidence: .gateway, response: answer, references: references, at: response.at, means: .find)
        )
    }

    private func resolved(
        _ outcome: Resolution.Outcome,
        _ amounts: Amounts?,
        operation: Operation? = nil
    ) -> TransactionEvent {
        .outcomeResolved(
            Resolution(
                outcome: outcome,
                means: .find,
                operation: operation,
                amounts: amounts,
                evidence: .gateway,
                references: references,
                at: response.at,
                answeredAt: response.receivedAt
            )
        )
    }
}
