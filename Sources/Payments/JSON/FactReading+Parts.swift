import Canonical

// The parts of the facts in `FactReading.swift`.

extension PaymentTerms {
    init?(_ reader: inout JSONTextReader) {
        var isCardholderPresent: Bool?
        var budgetMonths: Int?
        let isRead = reader.members { name, reader in
            switch name {
            case "isCardholderPresent": fill(&isCardholderPresent, reader.flag())
            case "budgetMonths": fill(&budgetMonths, reader.integer().map { Int($0) })
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self.init(isCardholderPresent: isCardholderPresent, budgetMonths: budgetMonths)
    }
}

extension Amounts {
    init?(_ reader: inout JSONTextReader) {
        var (total, base, tip): (Money?, Money?, Money?)
        var (tax, fee, cashback): (Money?, Money?, Money?)
        var parts: [AmountPart]?
        var figures: [Figure]?
        let isRead = reader.members { name, reader in
            switch name {
            case "total": fill(&total, Money(&reader))
            case "base": fill(&base, Money(&reader))
            case "tip": fill(&tip, Money(&reader))
            case "tax": fill(&tax, Money(&reader))
            case "fee": fill(&fee, Money(&reader))
            case "cashback": fill(&cashback, Money(&reader))
            case "parts": fill(&parts, reader.elements { AmountPart(&$0) })
            case "figures": fill(&figures, reader.elements { Figure(&$0) })
            default: reader.skip()
            }
        }
        guard isRead, let total else { return nil }
        self.init(
            total: total,
            base: base,
            tip: tip,
            tax: tax,
            fee: fee,
            cashback: cashback,
            parts: parts,
            figures: figures
        )
    }
}

extension AmountPart {
    init?(_ reader: inout JSONTextReader) {
        var kind: Kind?
        var label: String?
        var amount: Money?
        let isRead = reader.members { name, reader in
            switch name {
            case "kind": fill(&kind, reader.text().flatMap(Kind.init(rawValue:)))
            case "label": fill(&label, reader.text())
            case "amount": fill(&amount, Money(&reader))
            default: reader.skip()
            }
        }
        guard isRead, let kind, let amount else { return nil }
        self.init(kind, label: label, amount: amount)
    }
}

extension Figure {
    init?(_ reader: inout JSONTextReader) {
        var (field, raw): (String?, String?)
        var exponent: Int?
        let isRead = reader.members { name, reader in
            switch name {
            case "field": fill(&field, reader.text())
            case "raw": fill(&raw, reader.text())
            case "exponent": fill(&exponent, reader.integer().map { Int($0) })
            default: reader.skip()
            }
        }
        guard isRead, let field, let raw else { return nil }
        self.init(field: field, raw: raw, exponent: exponent)
    }
}

extension Money {
    init?(_ reader: inout JSONTextReader) {
        var value: Int64?
        var currency: Currency?
        let isRead = reader.members { name, reader in
            switch name {
            case "value": fill(&value, reader.integer())
            case "currency": fill(&currency, reader.text().flatMap { Currency(alpha: $0) })
            default: reader.skip()
            }
        }
        guard isRead, let value, let currency else { return nil }
        self.init(value: value, currency: currency)
    }
}

extension Response {
    init?(_ reader: inout JSONTextReader) {
        var (code, message): (String?, String?)
        var issuer: IssuerAnswer?
        let isRead = reader.members { name, reader in
            switch name {
            case "code": fill(&code, reader.text())
            case "message": fill(&message, reader.text())
            case "issuer": fill(&issuer, IssuerAnswer(&reader))
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self.init(code: code, message: message, issuer: issuer)
    }
}

extension IssuerAnswer {
    init?(_ reader: inout JSONTextReader) {
        var (code, advice): (String?, String?)
        let isRead = reader.members { name, reader in
            switch name {
            case "code": fill(&code, reader.text())
            case "advice": fill(&advice, reader.text())
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self.init(code: code, advice: advice)
    }
}

extension BatchReference {
    init?(_ reader: inout JSONTextReader) {
        var vendor: Vendor?
        var (account, number): (String?, String?)
        var generation: Int?
        let isRead = reader.members { name, reader in
            switch name {
            case "vendor": fill(&vendor, reader.text().flatMap(Vendor.init(rawValue:)))
            case "account": fill(&account, reader.text())
            case "number": fill(&number, reader.text())
            case "generation": fill(&generation, reader.integer().map { Int($0) })
            default: reader.skip()
            }
        }
        guard isRead, let vendor else { return nil }
        // The decoder refuses it, and says why.
        if let generation, generation < 1 || generation > 1 && number == nil { return nil }
        self.init(vendor: vendor, account: account, number: number, generation: generation ?? 1)
    }
}

extension References {
    init?(_ reader: inout JSONTextReader) {
        self.init()
        var found = self
        let isRead = reader.members { name, reader in
            switch name {
            case "gatewayTransaction": fill(&found.gatewayTransaction, reader.text())
            case "authorizationCode": fill(&found.authorizationCode, reader.text())
            case "retrievalReference": fill(&found.retrievalReference, reader.text())
            case "hostTransaction": fill(&found.hostTransaction, reader.text())
            case "vendorTransaction": fill(&found.vendorTransaction, reader.text())
            case "invoice": fill(&found.invoice, reader.text())
            case "merchant": fill(&found.merchant, reader.text())
            case "gatewayAccount": fill(&found.gatewayAccount, reader.text())
            case "terminal": fill(&found.terminal, reader.text())
            case "clerk": fill(&found.clerk, reader.text())
            case "tipRecipient": fill(&found.tipRecipient, reader.text())
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self = found
    }
}

extension JSONTextReader {
    mutating func time() -> ReportedTime? { text().flatMap { ReportedTime($0) } }
}

/// Stores a value that was read in a place that is still empty. Inlined, so that the compiler specialises it for each
/// type.
///
/// - Returns: False for a member that occurs twice or could not be read.
@inline(__always)
func fill<Value>(_ place: inout Value?, _ value: Value?) -> Bool {
    guard place == nil, let value else { return false }
    place = value
    return true
}
