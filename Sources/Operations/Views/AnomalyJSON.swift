package import Canonical
import Payments
package import Projections

extension AnomalyView {
    package var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id.text), "position": .number(.init(position)), "state": .string(state.rawValue),
            "kind": .string(anomaly.kind.rawValue), "explanation": .string(anomaly.explanation),
        ]
        if let related = anomaly.related { object["related"] = .array(related.map(JSONValue.string)) }
        if let doubt = anomaly.inDoubt { object["inDoubt"] = doubt.json }
        object["stream"] = .string(stream)
        object.set("transaction", StreamName.transactionID(stream))
        object.set("batch", StreamName.batchID(stream))
        object.set("vendor", vendor)
        object.set("merchant", merchant)
        object.set("terminal", terminal)
        object.set("occurredAt", occurredAt)
        object.set("recordedAt", recordedAt)
        if let acknowledgement { object["acknowledgement"] = acknowledgement.json }
        if let cleared { object["clearedPosition"] = .number(.init(cleared)) }
        return .object(object)
    }
}

extension FollowUpInDoubt {
    package var json: JSONValue {
        var object: JSONObject = ["subject": .string(subject.rawValue)]
        object.set("refund", refund)
        return .object(object)
    }
}

extension AnomalyView.Acknowledgement {
    package var json: JSONValue {
        [
            "position": .number(.init(position)), "by": .string(by), "at": .string(at.rfc3339),
            "reason": .string(reason),
        ]
    }
}
