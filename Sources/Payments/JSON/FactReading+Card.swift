import Canonical

extension CardPresentation {
    init?(_ reader: inout JSONTextReader) {
        self.init()
        var found = self
        let isRead = reader.members { name, reader in
            switch name {
            case "brand": fill(&found.brand, reader.text())
            case "maskedNumber": fill(&found.maskedNumber, reader.text())
            case "lastFour": fill(&found.lastFour, reader.text())
            case "entryMethod": fill(&found.entryMethod, reader.text())
            case "applicationLabel": fill(&found.applicationLabel, reader.text())
            case "applicationIdentifier": fill(&found.applicationIdentifier, reader.text())
            case "terminalVerificationResults": fill(&found.terminalVerificationResults, reader.text())
            case "transactionStatusInformation": fill(&found.transactionStatusInformation, reader.text())
            case "issuerApplicationData": fill(&found.issuerApplicationData, reader.text())
            case "applicationCryptogram": fill(&found.applicationCryptogram, reader.text())
            case "cryptogramInformation": fill(&found.cryptogramInformation, reader.text())
            case "verificationResults": fill(&found.verificationResults, reader.text())
            case "requiresSignature": fill(&found.requiresSignature, reader.flag())
            case "pinEntered": fill(&found.pinEntered, reader.flag())
            case "verification":
                fill(&found.verification, reader.text().flatMap(CardPresentation.Verification.init(rawValue:)))
            case "funding": fill(&found.funding, reader.text())
            case "tokenDigest": fill(&found.tokenDigest, reader.text())
            case "chipAmounts": fill(&found.chipAmounts, ChipAmounts(&reader))
            case "addressCheck": fill(&found.addressCheck, CardCheck(&reader))
            case "codeCheck": fill(&found.codeCheck, CardCheck(&reader))
            case "isCommercial": fill(&found.isCommercial, reader.flag())
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self = found
    }
}

extension ChipAmounts {
    init?(_ reader: inout JSONTextReader) {
        var (authorized, other): (Int64?, Int64?)
        var currencyNumeric: Int?
        let isRead = reader.members { name, reader in
            switch name {
            case "authorized": fill(&authorized, reader.integer())
            case "other": fill(&other, reader.integer())
            case "currencyNumeric": fill(&currencyNumeric, reader.integer().map { Int($0) })
            default: reader.skip()
            }
        }
        guard isRead, let authorized, let other else { return nil }
        self.init(authorized: authorized, other: other, currencyNumeric: currencyNumeric)
    }
}

extension CardCheck {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var (code, result): (String?, String?)
        let isRead = reader.members { name, reader in
            switch name {
            case "code": fill(&code, reader.text())
            case "result": fill(&result, reader.text())
            default: reader.skip()
            }
        }
        guard isRead, let code else { return nil }
        self.init(code: code, result: result)
    }
}

extension Circumstances {
    init?(_ reader: inout JSONTextReader) {
        self.init()
        var found = self
        let isRead = reader.members { name, reader in
            switch name {
            case "isCardPresent": fill(&found.isCardPresent, reader.flag())
            case "isForced": fill(&found.isForced, reader.flag())
            case "voiceAuthorization": fill(&found.voiceAuthorization, reader.text())
            case "industry": fill(&found.industry, reader.text())
            case "settlementDelay": fill(&found.settlementDelay, reader.text())
            case "taxIndicator": fill(&found.taxIndicator, reader.text())
            case "taxRateBasisPoints": fill(&found.taxRateBasisPoints, reader.integer())
            case "healthCare": fill(&found.healthCare, HealthCare(&reader))
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self = found
    }
}

extension HealthCare {
    fileprivate init?(_ reader: inout JSONTextReader) {
        self.init()
        var found = self
        let isRead = reader.members { name, reader in
            switch name {
            case "amount": fill(&found.amount, Money(&reader))
            case "transit": fill(&found.transit, Money(&reader))
            case "prescription": fill(&found.prescription, Money(&reader))
            case "vision": fill(&found.vision, Money(&reader))
            case "dental": fill(&found.dental, Money(&reader))
            case "clinic": fill(&found.clinic, Money(&reader))
            case "isQualified": fill(&found.isQualified, reader.flag())
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self = found
    }
}
