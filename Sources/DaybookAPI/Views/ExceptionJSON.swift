package import Canonical
import Matching
import Payments
package import Projections

extension ExceptionView {
    /// - Parameter now: What its age is counted to.
    package func json(at now: Timestamp) throws -> JSONValue {
        let told = try JSONValue(parsing: told.utf8)
        let currency = state.currency
        var object: JSONObject = [
            "id": .string(id.text), "class": .string(exceptionClass), "status": .string(state.status.rawValue),
        ]
        object.set("line", line?.text)
        object.set("transaction", transaction?.text)
        object.set("movement", movement)
        object.set("merchant", merchant)
        if merchant == nil { object["unattributed"] = true }
        object.set("terminal", terminal)
        object.set("day", day?.description)
        object.set("amount", JSONValue.money(state.amount, currency))
        object.set("lineAmount", JSONValue.money(told["lineAmount"]?.int64, currency))
        let ledgerCurrency = told["ledgerCurrency"]?.string ?? currency
        object.set("expected", JSONValue.money(told["expected"]?.int64, ledgerCurrency))
        object.set("ledgerAmount", JSONValue.money(told["ledgerAmount"]?.int64, ledgerCurrency))
        object.set("paymentStatus", told["status"]?.string)
        object.set("rule", told["rule"]?.string)
        if let candidates = told["candidates"]?.array {
            object["candidates"] = .array(candidates.map { candidate($0, told) })
        }
        if state.status.isOpen {
            let seconds = max(0, now.microsecondsSince1970 - firstAt.microsecondsSince1970) / 1_000_000
            object["ageSeconds"] = .number(.init(seconds))
        }
        object.set("assignee", state.assignee)
        if let proposal = state.proposal {
            var told: JSONObject = ["resolution": proposal.resolution.json, "reason": .string(proposal.reason)]
            told.set("by", state.proposedBy)
            told.set("holder", proposal.holder)
            object["proposal"] = .object(told)
        }
        object.set("resolution", state.resolution?.json)
        object["reopenings"] = .number(.init(Int64(state.reopenings)))
        object["firstAt"] = .string(firstAt.rfc3339)
        object["firstPosition"] = .number(.init(firstPosition))
        object["evidenceAt"] = .string(evidenceAt.rfc3339)
        object["evidencePosition"] = .number(.init(state.evidence))
        object["lastPosition"] = .number(.init(lastPosition))
        object["version"] = .number(.init(version))
        return .object(object)
    }

    /// Who came near, and why it was not enough.
    private func candidate(_ candidate: JSONValue, _ told: JSONValue) -> JSONValue {
        let own = (told["lineAmount"] ?? told["ledgerAmount"])?.int64
        var object: JSONObject = [:]
        for member in ["transaction", "movement", "line", "type", "rule", "day"] {
            object.set(member, candidate[member]?.string)
        }
        object.set("amount", JSONValue.money(candidate["amount"]?.int64, candidate["currency"]?.string))
        var reasons: [JSONValue] = []
        // A payment of which no money moved has no piece that could be named.
        if candidate["transaction"]?.string != nil, (candidate["movement"]?.string ?? "").isEmpty {
            reasons.append("no-money")
        }
        if candidate["taken"]?.bool == true { reasons.append("taken") }
        if candidate["currency"]?.string != told["currency"]?.string { reasons.append("currency-differs") }
        if candidate["amount"]?.int64 != own { reasons.append("amount-differs") }
        if reasons.isEmpty { reasons.append(candidate["day"] == told["day"] ? "not-unique" : "day-differs") }
        object["reasons"] = .array(reasons)
        return .object(object)
    }
}

extension ExceptionResolution {
    package var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue)]
        if let lines { object["lines"] = .array(lines.map { .string($0.text) }) }
        if let movements {
            object["movements"] = .array(
                movements.map { ["transaction": .string($0.transaction.text), "movement": .string($0.movement)] }
            )
        }
        object.set("correction", correction)
        return .object(object)
    }
}

extension ExceptionStepView {
    package func json() throws -> JSONValue {
        var object: JSONObject = [
            "position": .number(.init(position)), "type": .string(kind), "at": .string(at.rfc3339),
            "actor": .string(actor), "status": .string(status),
        ]
        // What a run told is long, and stands in the exception itself.
        if let told, kind != ReconciliationEvent.Name.exceptionsRaised.rawValue {
            object["told"] = try JSONValue(parsing: told.utf8)
        }
        return .object(object)
    }
}
