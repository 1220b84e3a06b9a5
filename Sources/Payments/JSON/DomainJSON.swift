package import Canonical

// JSON forms of the domain's small values. Nil values are left out, never written as null.

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

// Members written as text, because every stored payment passes through here. `Money`, `Response`, `BatchReference`,
// `References` and `CardPresentation` have the JSON that `JSONValueEncoder` gives; `Facet` and `Anomaly` leave out what
// is not shown.

extension JSONText {
    package mutating func write(_ money: Money) {
        object { json in
            json.set("value", money.value)
            json.set("currency", money.currency.alpha)
        }
    }

    package mutating func set(_ name: StaticString, _ money: Money?) {
        guard let money else { return }
        self.name(name)
        write(money)
    }

    package mutating func set(_ name: StaticString, _ parts: [AmountPart]?) {
        guard let parts else { return }
        self.name(name)
        array { json in
            for part in parts {
                json.object { json in
                    json.set("kind", part.kind.rawValue)
                    json.set("label", part.label)
                    json.set("amount", part.amount)
                }
            }
        }
    }

    package mutating func write(_ anomaly: Anomaly) {
        object { json in
            json.set("kind", anomaly.kind.rawValue)
            json.set("explanation", anomaly.explanation)
            if let related = anomaly.related {
                json.name("related")
                json.array { json in for stream in related { json.write(stream) } }
            }
        }
    }

    package mutating func set(_ name: StaticString, _ response: Response?) {
        guard let response else { return }
        self.name(name)
        object { json in
            json.set("code", response.code)
            json.set("message", response.message)
            guard let issuer = response.issuer else { return }
            json.name("issuer")
            json.object { json in
                json.set("code", issuer.code)
                json.set("advice", issuer.advice)
            }
        }
    }

    package mutating func set(_ name: StaticString, _ facet: Facet?) {
        guard let facet else { return }
        self.name(name)
        object { json in
            json.set("outcome", facet.outcome.rawValue)
            json.set("response", facet.response)
            json.set("at", facet.at)
            if facet.isRelayed { json.set("relayed", true) }
        }
    }

    package mutating func set(_ name: StaticString, _ batch: BatchReference?) {
        guard let batch else { return }
        self.name(name)
        object { json in
            json.set("vendor", batch.vendor.rawValue)
            json.set("account", batch.account)
            json.set("number", batch.number)
            if batch.generation > 1 { json.set("generation", Int64(batch.generation)) }
        }
    }

    package mutating func set(_ name: StaticString, _ references: References) {
        self.name(name)
        object { json in
            json.set("gatewayTransaction", references.gatewayTransaction)
            json.set("authorizationCode", references.authorizationCode)
            json.set("retrievalReference", references.retrievalReference)
            json.set("hostTransaction", references.hostTransaction)
            json.set("vendorTransaction", references.vendorTransaction)
            json.set("invoice", references.invoice)
            json.set("merchant", references.merchant)
            json.set("gatewayAccount", references.gatewayAccount)
            json.set("terminal", references.terminal)
            json.set("clerk", references.clerk)
            json.set("tipRecipient", references.tipRecipient)
        }
    }

    package mutating func set(_ name: StaticString, _ card: CardPresentation?) {
        guard let card else { return }
        self.name(name)
        object { json in
            json.set("brand", card.brand)
            json.set("maskedNumber", card.maskedNumber)
            json.set("lastFour", card.lastFour)
            json.set("entryMethod", card.entryMethod)
            json.set("applicationLabel", card.applicationLabel)
            json.set("applicationIdentifier", card.applicationIdentifier)
            json.set("terminalVerificationResults", card.terminalVerificationResults)
            json.set("transactionStatusInformation", card.transactionStatusInformation)
            json.set("issuerApplicationData", card.issuerApplicationData)
            json.set("applicationCryptogram", card.applicationCryptogram)
            json.set("cryptogramInformation", card.cryptogramInformation)
            json.set("verificationResults", card.verificationResults)
            json.set("requiresSignature", card.requiresSignature)
            json.set("pinEntered", card.pinEntered)
            json.set("verification", card.verification?.rawValue)
            json.set("funding", card.funding)
            json.set("tokenDigest", card.tokenDigest)
            if let amounts = card.chipAmounts {
                json.name("chipAmounts")
                json.object { json in
                    json.set("authorized", amounts.authorized)
                    json.set("other", amounts.other)
                    json.set("currencyNumeric", amounts.currencyNumeric.map(Int64.init))
                }
            }
            json.set("addressCheck", card.addressCheck)
            json.set("codeCheck", card.codeCheck)
            json.set("isCommercial", card.isCommercial)
        }
    }

    private mutating func set(_ name: StaticString, _ check: CardCheck?) {
        guard let check else { return }
        self.name(name)
        object { json in
            json.set("code", check.code)
            json.set("result", check.result)
        }
    }

    package mutating func set(_ name: StaticString, _ circumstances: Circumstances?) {
        guard let circumstances else { return }
        self.name(name)
        object { json in
            json.set("isCardPresent", circumstances.isCardPresent)
            json.set("isForced", circumstances.isForced)
            json.set("voiceAuthorization", circumstances.voiceAuthorization)
            json.set("industry", circumstances.industry)
            json.set("settlementDelay", circumstances.settlementDelay)
            json.set("taxIndicator", circumstances.taxIndicator)
            json.set("taxRateBasisPoints", circumstances.taxRateBasisPoints)
            json.set("healthCare", circumstances.healthCare)
        }
    }

    package mutating func set(_ name: StaticString, _ care: HealthCare?) {
        guard let care else { return }
        self.name(name)
        object { json in
            json.set("amount", care.amount)
            json.set("transit", care.transit)
            json.set("prescription", care.prescription)
            json.set("vision", care.vision)
            json.set("dental", care.dental)
            json.set("clinic", care.clinic)
            json.set("isQualified", care.isQualified)
        }
    }
}
