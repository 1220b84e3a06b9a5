package import Canonical
import Payments

extension Receipt {
    /// The names of all members.
    package static let memberNames: Set<String> = [
        "transaction", "version", "position", "kind", "status", "operation", "value", "isTest", "merchant", "terminal",
        "invoice", "at",
        "updatedAt", "card", "authorizationCode", "gatewayTransaction", "retrievalReference", "response", "requested",
        "discount", "authorized", "total", "base", "tip", "tax", "fee", "cashback", "parts", "voided", "refunded",
        "due",
        "balance", "loaded", "healthCare", "voiceAuthorization", "isCardPresent", "batch", "takesTip", "isTipAdjusted",
        "verification", "terms", "tender", "issued", "zone",
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
            json.set("value", value?.rawValue)
            json.set("isTest", isTest)
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
            if let terms {
                json.name("terms")
                json.object { json in
                    json.set("isCardholderPresent", terms.isCardholderPresent)
                    json.set("budgetMonths", terms.budgetMonths.map(Int64.init))
                }
            }
            json.set("tender", tender)
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
        json.set("discount", discount)
        json.set("authorized", authorized)
        json.set("total", total)
        json.set("base", base)
        json.set("tip", tip)
        json.set("tax", tax)
        json.set("fee", fee)
        json.set("cashback", cashback)
        json.set("parts", parts)
        json.set("voided", voided)
        json.set("refunded", refunded)
        json.set("due", due)
        json.set("balance", balance)
        json.set("loaded", loaded)
        json.set("healthCare", healthCare)
        json.set("voiceAuthorization", voiceAuthorization)
        json.set("isCardPresent", isCardPresent)
    }
}
