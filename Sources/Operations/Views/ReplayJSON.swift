package import Canonical
import Payments
import Projections
package import Replay
package import ReplayRules

extension ReplayView {
    package func json() throws -> JSONValue {
        let reported = try JSONValue(parsing: planning.utf8)
        var object: JSONObject = ["id": .string(id.text), "status": .string(status.rawValue)]
        for name in ["filter", "transactions", "reason", "planner", "book", "covers", "plannedAt"] {
            if let member = reported[name] { object[name] = member }
        }
        object["expiresAt"] = .string(expiresAt.rfc3339)
        object["items"] = .number(.init(items))
        object["totals"] = .array(
            (reported["totals"]?.array ?? []).map { total in
                var shown: JSONObject = [:]
                shown.set("disposition", total["disposition"]?.string)
                shown["count"] = total["count"] ?? 0
                shown.set("amount", JSONValue.money(total["amount"]?.int64, total["currency"]?.string))
                return .object(shown)
            }
        )
        let ended = ends.values.reduce(0, +)
        var progress: JSONObject = [
            "toAttempt": .number(.init(actionable)), "attempted": .number(.init(attempted)),
            "ended": .number(.init(ended)), "open": .number(.init(max(0, actionable - ended))),
        ]
        progress["ends"] = .array(
            ReplayItemEnd.End.allCases.compactMap { end in
                ends[end].map { ["end": .string(end.rawValue), "count": .number(.init($0))] }
            }
        )
        object["progress"] = .object(progress)
        if let approval {
            var shown = try JSONValue(parsing: approval.utf8).object ?? [:]
            shown.set("at", approvedAt?.rfc3339)
            object["approval"] = .object(shown)
        }
        object.set("note", note)
        object["firstPosition"] = .number(.init(firstPosition))
        object["lastPosition"] = .number(.init(lastPosition))
        object["version"] = .number(.init(version))
        return .object(object)
    }
}

extension ReplayItemView {
    package func json() throws -> JSONValue {
        let reported = try JSONValue(parsing: self.reported.utf8)
        var object: JSONObject = ["number": .number(.init(number))]
        for member in reported.object?.members ?? [] where member.key != "number" { object[member.key] = member.value }
        object.set("explanation", reported["rule"]?.string.flatMap { ReplayRule.meaning(of: $0) })
        if let attempted {
            var attempt: JSONObject = ["position": .number(.init(attempted))]
            attempt.set("reference", reference)
            object["attempt"] = .object(attempt)
        }
        if let ended, let outcome {
            var end: JSONObject = ["end": .string(outcome.rawValue), "position": .number(.init(ended))]
            end.set("rule", rule)
            end.set("explanation", rule.flatMap { ReplayRule.meaning(of: $0) })
            end.set("detail", detail)
            object["end"] = .object(end)
        }
        if let paymentStatus {
            var payment: JSONObject = ["status": .string(paymentStatus), "inDoubt": .bool(isInDoubt)]
            payment.set("version", paymentVersion.map { JSONValue.number(.init($0)) })
            object["payment"] = .object(payment)
        }
        return .object(object)
    }
}

extension Ruling {
    package var json: JSONValue {
        var object: JSONObject = [
            "disposition": .string(disposition.name.rawValue), "rule": .string(rule),
            "evidence": .array(evidence.map { .number(.init($0)) }),
        ]
        object.set("explanation", ReplayRule.meaning(of: rule))
        object.set("until", disposition.until?.rfc3339)
        object.set("instead", instead?.rawValue)
        return .object(object)
    }
}

extension ReplayHistory {
    package func json(of transaction: UUID128) -> JSONValue {
        var object: JSONObject = ["transaction": .string(transaction.text)]
        object.set("operation", operation?.rawValue)
        object["earlier"] = .number(.init(Int64(earlier)))
        object["steps"] = .array(steps.map(\.json))
        return .object(object)
    }
}

extension ReplayHistory.Step {
    package var json: JSONValue {
        var state: JSONObject = ["status": .string(self.state.status.rawValue)]
        state.set("operation", self.state.operation?.rawValue)
        state.set("requested", money(self.state.authorization.requested))
        state.set("authorized", money(self.state.authorized))
        state.set("captured", money(self.state.captured))
        state.set("refunded", money(self.state.refunded))
        state["inDoubt"] = .bool(self.state.isInDoubt)
        state["anomalies"] = .array(self.state.anomalies.map { .string($0.kind.rawValue) })
        var object: JSONObject = [
            "position": .number(.init(position)), "version": .number(.init(version)), "type": .string(type),
            "at": .string(at.rfc3339), "actor": .string(actor), "state": .object(state), "ruling": ruling.json,
        ]
        if let whatIf { object["whatIf"] = whatIf.json }
        return .object(object)
    }

    private func money(_ minor: Int64?) -> JSONValue? {
        JSONValue.money(minor == 0 ? nil : minor, state.currency?.alpha)
    }
}
