package import Canonical
import Payments

extension TransactionView {
    /// The JSON form of a payment: the folded state with its three facets.
    package func json() throws -> JSONValue {
        var object: JSONObject = [
            "id": .string(id.text),
            "version": .number(.init(state.version)),
            "status": .string(state.status.rawValue),
        ]
        object.set("operation", state.operation?.rawValue)
        object.set("vendor", state.identity.vendor?.rawValue)
        object.set("reference", state.identity.reference)
        object.set("merchant", state.identity.merchant ?? state.references.merchant)
        object.set("terminal", state.identity.terminal ?? state.references.terminal)
        object.set("device", state.identity.device)
        if let reader = state.identity.cardReader {
            object["cardReader"] = ["vendor": .string(reader.vendor.rawValue), "serial": .string(reader.serial)]
        }
        object.set("tender", state.identity.tender)
        object["amounts"] = .object(amounts)
        if let breakdown = state.authorization.breakdown { object["breakdown"] = breakdown.json }
        if !state.tenders.entries.isEmpty { object["tenders"] = .array(state.tenders.entries.map { $0.json(state) }) }
        object["captures"] = .array(state.captures.map { $0.json(state) })
        object["refunds"] = .array(state.refunds.map { $0.json(state) })
        object["chargebacks"] = .array(state.chargebacks.map { $0.json(state) })
        object.set("credit", state.credit?.json(state))
        var facets: JSONObject = [:]
        facets.set("reader", state.verdicts.reader?.json)
        facets.set("gateway", state.verdicts.gateway?.json)
        facets.set("settlement", state.verdicts.settlement?.json)
        object["facets"] = .object(facets)
        object.set("outcome", state.outcome?.rawValue)
        object.set("outcomeEvidence", state.verdicts.current?.evidence.rawValue)
        object["references"] = state.references.json
        object.set("card", state.card?.json)
        object["inDoubt"] = .bool(state.isInDoubt)
        object["anomalies"] = .array(state.anomalies.map(\.json))
        object["linked"] = .array(state.linked.map(JSONValue.string))
        object.set("occurredAt", occurredAt)
        object.set("recordedAt", recordedAt)
        object["firstPosition"] = .number(.init(firstPosition))
        object["lastPosition"] = .number(.init(lastPosition))
        return .object(object)
    }

    private var amounts: JSONObject {
        var amounts: JSONObject = [:]
        guard state.currency != nil else { return amounts }
        amounts.set("requested", state.authorization.requested.flatMap(state.money))
        if state.hasApproval && state.credit == nil { amounts.set("authorized", state.money(state.authorized)) }
        amounts.set("captured", state.money(state.captured))
        amounts.set("tip", state.money(state.tips))
        amounts.set("refunded", state.money(state.refunded))
        amounts.set("chargedBack", state.money(state.chargedBack))
        amounts.set("remaining", state.money(state.remaining))
        amounts.set("settled", state.money(state.settled))
        if state.due > 0 { amounts.set("due", state.money(state.due)) }
        if state.credit != nil { amounts.set("credited", state.money(state.credited)) }
        return amounts
    }
}

extension Amounts {
    var json: JSONValue {
        var object: JSONObject = ["total": total.json]
        object.set("base", base)
        object.set("tip", tip)
        object.set("tax", tax)
        object.set("fee", fee)
        object.set("cashback", cashback)
        return .object(object)
    }
}

extension TenderEntry {
    func json(_ state: TransactionState) -> JSONValue {
        var object: JSONObject = ["id": .string(id)]
        object.set("amount", state.money(amount))
        object.set("tip", state.money(tip))
        object["captured"] = .bool(isCaptured)
        object["cash"] = .bool(isCash)
        object.set("account", account?.json)
        object["evidence"] = .string(evidence.rawValue)
        object["capture"] = .string(captureID)
        return .object(object)
    }
}

extension TenderAccount {
    fileprivate var json: JSONValue {
        var object: JSONObject = [:]
        object.set("kind", kind)
        object.set("brand", brand)
        object.set("lastFour", lastFour)
        object.set("tokenDigest", tokenDigest)
        return .object(object)
    }
}

extension CaptureEntry {
    func json(_ state: TransactionState) -> JSONValue {
        var object: JSONObject = ["id": .string(id)]
        object.set("amount", state.money(amount))
        object.set("tip", state.money(tip))
        object.set("voided", state.money(voided))
        object["evidence"] = .string(evidence.rawValue)
        object.set("batch", batch?.json)
        object["settled"] = .bool(isSettled)
        object.set("settledIn", settledIn?.json)
        object["inferred"] = .bool(isInferred)
        return .object(object)
    }
}

extension ReturnEntry {
    func json(_ state: TransactionState) -> JSONValue {
        var object: JSONObject = ["id": .string(id)]
        object.set("amount", state.money(amount))
        object["undone"] = .bool(isUndone)
        object["evidence"] = .string(evidence.rawValue)
        object.set("batch", batch?.json)
        return .object(object)
    }
}
