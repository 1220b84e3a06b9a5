package import Canonical
import Payments
import Projections
package import Replay
import ReplayRules

extension DoubtItem {
    /// - Parameter now: The time at which the age is computed.
    package func json(at now: Timestamp) -> JSONObject {
        var object = payment.json(at: now).object ?? [:]
        object["version"] = .number(.init(status.version))
        object["isOpen"] = .bool(status.isOpen)
        if status.doubt != nil, let cause = status.cause { object["doubt"] = doubt(cause) }
        if let reversal = status.reversal { object["reversal"] = self.reversal(reversal) }
        object["gateways"] = .array(gateways.map(JSONValue.string))
        object["asked"] = .number(.init(Int64(status.asked.count)))
        if let last = status.asked.last {
            object["lastAsk"] = [
                "at": .string(last.at.rfc3339), "answer": .string(last.answer.rawValue),
                "position": .number(.init(last.position)),
            ]
        }
        // An overdue query is sent as soon as possible.
        object.set("nextAt", nextAt.map { max($0, now) })
        if nextAt != nil, case .ask(_, let rule) = status.next { object["nextRule"] = .string(rule) }
        object.set("underWayUntil", status.underWayUntil)
        object.set("notPostedFrom", status.unpostedFrom)
        if let attention {
            object["attention"] = [
                "rule": .string(attention.rule), "isNeeded": .bool(attention.isNeeded),
                "explanation": .string(attention.explanation),
            ]
        }
        return object
    }

    /// The item with every gateway call about the payment.
    package func detail(at now: Timestamp) -> JSONValue {
        var object = json(at: now)
        object["calls"] = .array(status.calls.map(\.json))
        return .object(object)
    }

    private func doubt(_ cause: DoubtCause) -> JSONValue {
        var object: JSONObject = [
            "what": .string(cause.followUp?.subject.rawValue ?? status.doubt?.operation?.rawValue ?? "payment"),
            "isFollowUp": .bool(cause.followUp != nil), "event": .string(cause.event),
            "position": .number(.init(cause.position)), "at": .string(cause.at.rfc3339),
        ]
        object.set("refund", cause.followUp?.refund)
        object.set("sentAt", status.doubt?.sentAt)
        object.set("code", cause.response.code)
        object.set("message", cause.response.message)
        return .object(object)
    }

    private func reversal(_ reversal: ReversalStatus) -> JSONValue {
        var object: JSONObject = [
            "dueAt": .string(reversal.dueAt.rfc3339), "position": .number(.init(reversal.position)),
            "sent": .number(.init(Int64(reversal.sent.count))),
            "gateways": .array(reversing.map(JSONValue.string)), "isSent": .bool(sendsReversal),
        ]
        object.set("deadline", reversal.deadline)
        object.set("lastSentAt", reversal.sent.last?.sentAt)
        return .object(object)
    }
}

extension DoubtItem.Attention {
    /// The reason, for operators.
    package var explanation: String {
        switch rule {
        case "ask.intervals": "Many queries have not resolved it: an operator should check, too."
        case "doubt.ambiguous":
            "The result fits several payments, or is another payment, or the gateway does not support the query."
        case "doubt.contradiction": "The answers contradict each other."
        case "doubt.evidence": "The answer does not resolve this doubt."
        case "lookup", "default": "No gateway can be queried about it."
        case "reversal.settled": "It is settled: a refund replaces the reversal."
        case FixedRule.noGateway.rawValue: "No gateway is configured for the query."
        case FixedRule.reversalOff.rawValue: "It must be reversed, and no gateway is configured for reversals."
        case let rule where rule.hasPrefix("deadline.reversal"): "The deadline of its reversal has passed."
        case let rule where rule.hasPrefix("lookup."): "No gateway can be queried about it."
        default: "Rule \(rule)."
        }
    }
}

extension GatewayQuestion {
    package var json: JSONValue {
        var object: JSONObject = [
            "position": .number(.init(position)), "reference": .string(reference), "gateway": .string(gateway),
            "operation": .string(operation.rawValue), "sentAt": .string(sentAt.rfc3339),
        ]
        object.set("about", about)
        if let end {
            object["event"] = .string(end.event.rawValue)
            object["answeredAt"] = .string(end.at.rfc3339)
            object["answerPosition"] = .number(.init(end.position))
            object.set("verdict", end.verdict?.rawValue)
            object.set("differs", end.differs)
            object.set("failure", end.failure)
            object.set("code", end.response.code)
            object.set("message", end.response.message)
        }
        return .object(object)
    }
}
