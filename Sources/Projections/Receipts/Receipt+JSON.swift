package import Canonical
import Payments

extension Receipt {
    /// The names of all members.
    package static let memberNames: Set<String> = [
        "transaction", "version", "position", "kind", "status", "operation", "merchant", "terminal", "invoice", "at",
        "updatedAt", "card", "authorizationCode", "gatewayTransaction", "retrievalReference", "response", "requested",
        "authorized", "total", "base", "tip", "tax", "fee", "cashback", "voided", "refunded", "due", "balance", "batch",
        "takesTip", "isTipAdjusted", "verification", "issued", "zone",
    ]

    /// The same JSON as `JSONValueEncoder` gives, written member by member as text: every event of a payment stores one.
    package var json: JSONText {
        var json = JSONText(reserving: 1024)
        json.object { json in
            json.set("transaction", transaction)
            json.set("version", version)
            json.set("position", position)
            json.set("kind", kind.rawValue)
            json.set("status", status.rawValue)
            json.set("operation", operation?.rawValue)
            json.set("merchant", merchant)
            json.set("terminal", terminal)
            json.set("invoice", invoice)
            json.set("at", at)
            json.set("updatedAt", updatedAt)
            json.set("card", card)
            json.set("authorizationCode", authorizationCode)
            json.set("gatewayTransaction", gatewayTransaction)
            json.set("retrievalReference", retrievalReference)
            json.set("response", response)
            writeAmounts(to: &json)
            json.set("batch", batch)
            json.set("takesTip", takesTip)
            json.set("isTipAdjusted", isTipAdjusted)
            json.set("verification", verification.rawValue)
            json.name("issued")
            json.object { json in
                json.set("customer", Int64(issued.customer))
                json.set("merchant", Int64(issued.merchant))
            }
            json.set("zone", zone?.name)
        }
        return json
    }

    private func writeAmounts(to json: inout JSONText) {
        json.set("requested", requested)
        json.set("authorized", authorized)
        json.set("total", total)
        json.set("base", base)
        json.set("tip", tip)
        json.set("tax", tax)
        json.set("fee", fee)
        json.set("cashback", cashback)
        json.set("voided", voided)
        json.set("refunded", refunded)
        json.set("due", due)
        json.set("balance", balance)
    }
}
