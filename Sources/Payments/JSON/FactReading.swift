import Canonical

// Readers that decode the most frequent facts directly from their text. Rebuilding a read model folds millions of
// payments, and building trees of values and using `Decoder`'s containers took most of that time. Each reader returns
// the same value as the type's `Decodable`, or nil; after nil the caller must use `Decodable`.

extension TransactionEvent {
    /// Reads of a `DocumentReceived` only the fields that folding uses, without the document and the redactions.
    package init?(folding text: String, type: String, schema: Int) {
        guard schema == 1, let name = Name(rawValue: type) else { return nil }
        let event: TransactionEvent? = JSONTextReader.read(text) { reader in
            switch name {
            case .documentReceived: DocumentReceived(folding: &reader).map(Self.documentReceived)
            case .saleRequested: PaymentRequest(&reader).map(Self.saleRequested)
            case .authorizationRequested: PaymentRequest(&reader).map(Self.authorizationRequested)
            case .authorizationApproved: Approval(&reader).map(Self.authorizationApproved)
            case .captured: Capture(&reader).map(Self.captured)
            case .settled: Settlement(&reader).map(Self.settled)
            default: nil
            }
        }
        guard let event else { return nil }
        self = event
    }
}

extension DocumentReceived {
    fileprivate init?(folding reader: inout JSONTextReader) {
        var vendor: Vendor?
        var kind: String?
        var (merchant, terminal, device, reference): (String?, String?, String?, String?)
        var issuer: IssuerAnswer?
        var (hasDocument, hasRedactions) = (false, false)
        let isRead = reader.members { name, reader in
            switch name {
            case "vendor": return fill(&vendor, reader.text().flatMap(Vendor.init(rawValue:)))
            case "kind": return fill(&kind, reader.text())
            case "merchant": return fill(&merchant, reader.text())
            case "terminal": return fill(&terminal, reader.text())
            case "device": return fill(&device, reader.text())
            case "reference": return fill(&reference, reader.text())
            case "issuer": return fill(&issuer, IssuerAnswer(&reader))
            case "document": hasDocument = true
            case "redactions": hasRedactions = true
            default: break
            }
            return reader.skip()
        }
        guard isRead, hasDocument, hasRedactions, let vendor, let kind else { return nil }
        self.init(
            vendor: vendor,
            kind: kind,
            document: .null,
            redactions: [],
            merchant: merchant,
            terminal: terminal,
            device: device,
            reference: reference,
            issuer: issuer
        )
    }
}

extension PaymentRequest {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var amounts: Amounts?
        var references: References?
        var tender: String?
        var at: ReportedTime?
        let isRead = reader.members { name, reader in
            switch name {
            case "amounts": fill(&amounts, Amounts(&reader))
            case "references": fill(&references, References(&reader))
            case "tender": fill(&tender, reader.text())
            case "at": fill(&at, reader.time())
            default: reader.skip()
            }
        }
        guard isRead, let references else { return nil }
        self.init(amounts: amounts, references: references, tender: tender, at: at)
    }
}

extension Approval {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var amounts: Amounts?
        var requested: Money?
        var evidence: Evidence?
        var response: Response?
        var references: References?
        var card: CardPresentation?
        var batch: BatchReference?
        var at: ReportedTime?
        let isRead = reader.members { name, reader in
            switch name {
            case "amounts": fill(&amounts, Amounts(&reader))
            case "requested": fill(&requested, Money(&reader))
            case "evidence": fill(&evidence, reader.text().flatMap(Evidence.init(rawValue:)))
            case "response": fill(&response, Response(&reader))
            case "references": fill(&references, References(&reader))
            case "card": fill(&card, CardPresentation(&reader))
            case "batch": fill(&batch, BatchReference(&reader))
            case "at": fill(&at, reader.time())
            default: reader.skip()
            }
        }
        guard isRead, let amounts, let evidence, let response, let references else { return nil }
        self.init(
            amounts: amounts,
            requested: requested,
            evidence: evidence,
            response: response,
            references: references,
            card: card,
            batch: batch,
            at: at
        )
    }
}

extension Capture {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var id: String?
        var amounts: Amounts?
        var evidence: Evidence?
        var response: Response?
        var references: References?
        var batch: BatchReference?
        var at: ReportedTime?
        let isRead = reader.members { name, reader in
            switch name {
            case "id": fill(&id, reader.text())
            case "amounts": fill(&amounts, Amounts(&reader))
            case "evidence": fill(&evidence, reader.text().flatMap(Evidence.init(rawValue:)))
            case "response": fill(&response, Response(&reader))
            case "references": fill(&references, References(&reader))
            case "batch": fill(&batch, BatchReference(&reader))
            case "at": fill(&at, reader.time())
            default: reader.skip()
            }
        }
        guard isRead, let id, let amounts, let evidence, let response, let references else { return nil }
        self.init(
            id: id,
            amounts: amounts,
            evidence: evidence,
            response: response,
            references: references,
            batch: batch,
            at: at
        )
    }
}

extension Settlement {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var id: String?
        var amount: Money?
        var batch: BatchReference?
        var evidence: Evidence?
        var response: Response?
        var at: ReportedTime?
        let isRead = reader.members { name, reader in
            switch name {
            case "id": fill(&id, reader.text())
            case "amount": fill(&amount, Money(&reader))
            case "batch": fill(&batch, BatchReference(&reader))
            case "evidence": fill(&evidence, reader.text().flatMap(Evidence.init(rawValue:)))
            case "response": fill(&response, Response(&reader))
            case "at": fill(&at, reader.time())
            default: reader.skip()
            }
        }
        guard isRead, let id, let evidence, let response else { return nil }
        self.init(id: id, amount: amount, batch: batch, evidence: evidence, response: response, at: at)
    }
}

// MARK: Parts

extension Amounts {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var (total, base, tip): (Money?, Money?, Money?)
        var (tax, fee, cashback): (Money?, Money?, Money?)
        var figures: [Figure]?
        let isRead = reader.members { name, reader in
            switch name {
            case "total": fill(&total, Money(&reader))
            case "base": fill(&base, Money(&reader))
            case "tip": fill(&tip, Money(&reader))
            case "tax": fill(&tax, Money(&reader))
            case "fee": fill(&fee, Money(&reader))
            case "cashback": fill(&cashback, Money(&reader))
            case "figures": fill(&figures, reader.elements { Figure(&$0) })
            default: reader.skip()
            }
        }
        guard isRead, let total else { return nil }
        self.init(total: total, base: base, tip: tip, tax: tax, fee: fee, cashback: cashback, figures: figures)
    }
}

extension Figure {
    fileprivate init?(_ reader: inout JSONTextReader) {
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
    fileprivate init?(_ reader: inout JSONTextReader) {
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
    fileprivate init?(_ reader: inout JSONTextReader) {
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
    fileprivate init?(_ reader: inout JSONTextReader) {
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
    fileprivate init?(_ reader: inout JSONTextReader) {
        var vendor: Vendor?
        var (account, number): (String?, String?)
        let isRead = reader.members { name, reader in
            switch name {
            case "vendor": fill(&vendor, reader.text().flatMap(Vendor.init(rawValue:)))
            case "account": fill(&account, reader.text())
            case "number": fill(&number, reader.text())
            default: reader.skip()
            }
        }
        guard isRead, let vendor else { return nil }
        self.init(vendor: vendor, account: account, number: number)
    }
}

extension References {
    fileprivate init?(_ reader: inout JSONTextReader) {
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

extension CardPresentation {
    fileprivate init?(_ reader: inout JSONTextReader) {
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
            case "funding": fill(&found.funding, reader.text())
            case "tokenDigest": fill(&found.tokenDigest, reader.text())
            case "chipAmounts": fill(&found.chipAmounts, ChipAmounts(&reader))
            default: reader.skip()
            }
        }
        guard isRead else { return nil }
        self = found
    }
}

extension ChipAmounts {
    fileprivate init?(_ reader: inout JSONTextReader) {
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

extension JSONTextReader {
    fileprivate mutating func time() -> ReportedTime? { text().flatMap { ReportedTime($0) } }
}

/// Stores a value that was read in a place that is still empty. Private to this file, so that the compiler can
/// specialise it for each type.
///
/// - Returns: False for a member that occurs twice or could not be read.
private func fill<Value>(_ place: inout Value?, _ value: Value?) -> Bool {
    guard place == nil, let value else { return false }
    place = value
    return true
}
