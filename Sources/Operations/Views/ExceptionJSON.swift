package import Canonical
package import Matching
import Payments
import Projections
package import Reconciliation

extension ExceptionView {
    /// - Parameter now: The time at which its age is computed.
    package func json(at now: Timestamp) throws -> JSONValue {
        let reported = try JSONValue(parsing: reported.utf8)
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
        object.set("lineAmount", JSONValue.money(reported["lineAmount"]?.int64, currency))
        let ledgerCurrency = reported["ledgerCurrency"]?.string ?? currency
        object.set("expected", JSONValue.money(reported["expected"]?.int64, ledgerCurrency))
        object.set("ledgerAmount", JSONValue.money(reported["ledgerAmount"]?.int64, ledgerCurrency))
        object.set("paymentStatus", reported["status"]?.string)
        object.set("rule", reported["rule"]?.string)
        if let candidates = reported["candidates"]?.array {
            object["candidates"] = .array(candidates.map { candidate($0, reported) })
        }
        if state.status.isOpen {
            let seconds = max(0, now.microsecondsSince1970 - firstAt.microsecondsSince1970) / 1_000_000
            object["ageSeconds"] = .number(.init(seconds))
        }
        object.set("assignee", state.assignee)
        if let proposal = state.proposal {
            var reported: JSONObject = ["resolution": proposal.resolution.json, "reason": .string(proposal.reason)]
            reported.set("by", state.proposedBy)
            reported.set("holder", proposal.holder)
            object["proposal"] = .object(reported)
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

    /// A candidate, with the reasons why it did not match.
    private func candidate(_ candidate: JSONValue, _ reported: JSONValue) -> JSONValue {
        let own = (reported["lineAmount"] ?? reported["ledgerAmount"])?.int64
        var object: JSONObject = [:]
        for member in ["transaction", "movement", "line", "type", "rule", "day"] {
            object.set(member, candidate[member]?.string)
        }
        object.set("amount", JSONValue.money(candidate["amount"]?.int64, candidate["currency"]?.string))
        var reasons: [JSONValue] = []
        // A payment without money has no movement to name.
        if candidate["transaction"]?.string != nil, (candidate["movement"]?.string ?? "").isEmpty {
            reasons.append("no-money")
        }
        if candidate["taken"]?.bool == true { reasons.append("taken") }
        if candidate["currency"]?.string != reported["currency"]?.string { reasons.append("currency-differs") }
        if candidate["amount"]?.int64 != own { reasons.append("amount-differs") }
        if reasons.isEmpty { reasons.append(candidate["day"] == reported["day"] ? "not-unique" : "day-differs") }
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
        // The report of a run is long, and is in the exception itself.
        if let reported, kind != ReconciliationEvent.Name.exceptionsRaised.rawValue {
            object["details"] = try JSONValue(parsing: reported.utf8)
        }
        return .object(object)
    }
}
