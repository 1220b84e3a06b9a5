package import Canonical

// JSON forms of the domain's small values. Nil values are left out, never written as null.

extension JSONObject {
    package mutating func set(_ key: String, _ money: Money?) {
        if let money { self[key] = money.json }
    }
}

extension Money {
    package var json: JSONValue { ["value": .number(.init(value)), "currency": .string(currency.alpha)] }
}

extension Anomaly {
    package var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue), "explanation": .string(explanation)]
        if let related { object["related"] = .array(related.map(JSONValue.string)) }
        return .object(object)
    }
}

extension Response {
    package var json: JSONValue {
        var object: JSONObject = [:]
        object.set("code", code)
        object.set("message", message)
        if let issuer { object["issuer"] = issuer.json }
        return .object(object)
    }
}

extension IssuerAnswer {
    package var json: JSONValue {
        var object: JSONObject = [:]
        object.set("code", code)
        object.set("advice", advice)
        return .object(object)
    }
}

extension Facet {
    package var json: JSONValue {
        var object: JSONObject = ["outcome": .string(outcome.rawValue), "response": response.json]
        object.set("at", at)
        if isRelayed { object["relayed"] = true }
        return .object(object)
    }
}

extension BatchReference {
    package var json: JSONValue {
        var object: JSONObject = ["vendor": .string(vendor.rawValue)]
        object.set("account", account)
        object.set("number", number)
        return .object(object)
    }
}

// The same JSON as `JSONValueEncoder` gives, built member by member: every displayed payment passes through here, and
// the encoder's containers cost many times as much.

extension References {
    package var json: JSONValue {
        var object: JSONObject = [:]
        object.set("gatewayTransaction", gatewayTransaction)
        object.set("authorizationCode", authorizationCode)
        object.set("retrievalReference", retrievalReference)
        object.set("hostTransaction", hostTransaction)
        object.set("vendorTransaction", vendorTransaction)
        object.set("invoice", invoice)
        object.set("merchant", merchant)
        object.set("terminal", terminal)
        object.set("clerk", clerk)
        object.set("tipRecipient", tipRecipient)
        return .object(object)
    }
}

extension CardPresentation {
    package var json: JSONValue {
        var object: JSONObject = [:]
        object.set("brand", brand)
        object.set("maskedNumber", maskedNumber)
        object.set("lastFour", lastFour)
        object.set("entryMethod", entryMethod)
        object.set("applicationLabel", applicationLabel)
        object.set("applicationIdentifier", applicationIdentifier)
        object.set("terminalVerificationResults", terminalVerificationResults)
        object.set("transactionStatusInformation", transactionStatusInformation)
        object.set("issuerApplicationData", issuerApplicationData)
        object.set("applicationCryptogram", applicationCryptogram)
        object.set("cryptogramInformation", cryptogramInformation)
        object.set("verificationResults", verificationResults)
        if let requiresSignature { object["requiresSignature"] = .bool(requiresSignature) }
        if let pinEntered { object["pinEntered"] = .bool(pinEntered) }
        object.set("funding", funding)
        object.set("tokenDigest", tokenDigest)
        if let chipAmounts { object["chipAmounts"] = chipAmounts.json }
        return .object(object)
    }
}

extension ChipAmounts {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["authorized": .number(.init(authorized)), "other": .number(.init(other))]
        if let currencyNumeric { object["currencyNumeric"] = .number(.init(Int64(currencyNumeric))) }
        return .object(object)
    }
}
