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
        var isTest: Bool?
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
            case "isTest": return fill(&isTest, reader.flag())
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
            issuer: issuer,
            isTest: isTest
        )
    }
}

extension PaymentRequest {
    fileprivate init?(_ reader: inout JSONTextReader) {
        var amounts: Amounts?
        var references: References?
        var tender: String?
        var terms: PaymentTerms?
        var at: ReportedTime?
        var circumstances: Circumstances?
        let isRead = reader.members { name, reader in
            switch name {
            case "amounts": fill(&amounts, Amounts(&reader))
            case "references": fill(&references, References(&reader))
            case "tender": fill(&tender, reader.text())
            case "terms": fill(&terms, PaymentTerms(&reader))
            case "at": fill(&at, reader.time())
            case "circumstances": fill(&circumstances, Circumstances(&reader))
            default: reader.skip()
            }
        }
        guard isRead, let references else { return nil }
        self.init(
            amounts: amounts,
            references: references,
            tender: tender,
            terms: terms,
            at: at,
            circumstances: circumstances
        )
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
        var own: References?
        var batch: BatchReference?
        var at: ReportedTime?
        let isRead = reader.members { name, reader in
            switch name {
            case "id": fill(&id, reader.text())
            case "amounts": fill(&amounts, Amounts(&reader))
            case "evidence": fill(&evidence, reader.text().flatMap(Evidence.init(rawValue:)))
            case "response": fill(&response, Response(&reader))
            case "references": fill(&references, References(&reader))
            case "own": fill(&own, References(&reader))
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
            own: own,
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
        var occurredAt: Timestamp?
        let isRead = reader.members { name, reader in
            switch name {
            case "id": fill(&id, reader.text())
            case "amount": fill(&amount, Money(&reader))
            case "batch": fill(&batch, BatchReference(&reader))
            case "evidence": fill(&evidence, reader.text().flatMap(Evidence.init(rawValue:)))
            case "response": fill(&response, Response(&reader))
            case "at": fill(&at, reader.time())
            case "occurredAt": fill(&occurredAt, reader.text().flatMap { Timestamp(rfc3339: $0) })
            default: reader.skip()
            }
        }
        guard isRead, let id, let evidence, let response else { return nil }
        self.init(
            id: id,
            amount: amount,
            batch: batch,
            evidence: evidence,
            response: response,
            at: at,
            occurredAt: occurredAt
        )
    }
}
