import Canonical
import Payments

/// A value with every optional set, and one with none.
struct Pair<Value> {
    var full: Value
    var minimal: Value

    func map<Other>(_ wrap: (Value) -> Other) -> Pair<Other> { Pair<Other>(full: wrap(full), minimal: wrap(minimal)) }
}

extension Pair: Sendable where Value: Sendable {}

/// Payloads in both variants.
enum Samples {
    static let instant = Timestamp(microsecondsSince1970: 1_767_323_045_000_006)
    static let at = ReportedTime.instant(instant)
    static let batch = Pair(
        full: BatchReference(vendor: .dejavoo, account: "1234567890", number: "42"),
        minimal: BatchReference(vendor: .handpoint, account: nil, number: nil)
    )

    static let references = References(
        gatewayTransaction: "23121101",
        authorizationCode: "TAS215",
        retrievalReference: "413613500098",
        hostTransaction: "0001",
        vendorTransaction: "03430717348412717520240515191215",
        invoice: "A-1",
        merchant: "876543210",
        gatewayAccount: "320001",
        terminal: "1234567890",
        clerk: "ann",
        tipRecipient: "7"
    )

    static let response = Response(
        code: "00000",
        message: "Genehmigt \"APPROVAL\" \u{e9}",
        issuer: IssuerAnswer(code: "51", advice: "02")
    )

    static func usd(_ minor: Int64) -> Money { Money(minor, .usd) }

    static let amounts = Pair(
        full: Amounts(
            total: usd(2340),
            base: usd(1000),
            tip: usd(100),
            tax: usd(200),
            fee: usd(40),
            cashback: usd(1000),
            parts: [AmountPart(.tax, label: "Local Tax", amount: usd(200))],
            figures: [Figure(field: "TotalAmt", raw: "23.40", exponent: 2)]
        ),
        minimal: Amounts(total: Money(9_007_199_254_740_993, .jpy))
    )

    private static let card: CardPresentation = {
        var card = CardPresentation()
        card.brand = "Visa"
        card.maskedNumber = "476173******0119"
        card.lastFour = "0119"
        card.entryMethod = "Chip_Read"
        card.applicationLabel = "VISA CREDIT"
        card.applicationIdentifier = "A0000000031010"
        card.terminalVerificationResults = "8080008000"
        card.transactionStatusInformation = "6800"
        card.issuerApplicationData = "06010A03A0A800"
        card.applicationCryptogram = "8E19ED4BCA5C670A"
        card.cryptogramInformation = "80"
        card.verificationResults = "1E0300"
        card.requiresSignature = true
        (card.pinEntered, card.verification) = (false, .notRequired)
        card.funding = "credit"
        card.tokenDigest = "e3b0c44298fc1c14"
        card.chipAmounts = ChipAmounts(authorized: 2100, other: 1000, currencyNumeric: 840)
        card.addChecks()
        return card
    }()

    private static let redaction = RedactionNote(path: "/body/track2", rule: "track", action: "dropped")
    static let document = Pair(
        full: DocumentReceived(
            vendor: .bridgepay,
            kind: "BridgeCommResponse",
            document: ["b": 1, "a": ["x", true, .null], "amount": "7.50"],
            redactions: [redaction],
            merchant: "876543210",
            terminal: "T1",
            device: "reader-7",
            reference: "order-1",
            issuer: IssuerAnswer(code: "51", advice: "02"),
            isTest: true
        ),
        minimal: DocumentReceived(vendor: .paydiant, kind: "x", document: .null, redactions: [])
    )

    private static let terms = PaymentTerms(isCardholderPresent: false, budgetMonths: 6)
    static let request = Pair(
        full: PaymentRequest(
            amounts: amounts.full,
            references: references,
            tender: "credit",
            terms: terms,
            at: at,
            circumstances: circumstances
        ),
        minimal: PaymentRequest(amounts: nil)
    )

    static let approval = Pair(
        full: Approval(
            amounts: amounts.full,
            requested: usd(2340),
            evidence: .gateway,
            response: response,
            references: references,
            card: card,
            batch: batch.full,
            at: at
        ),
        minimal: Approval(amounts: amounts.minimal, evidence: .reader, response: Response(), references: References())
    )

    static let verdict = Pair(
        full: Verdict(
            evidence: .gateway,
            response: response,
            references: references,
            card: card,
            at: at,
            said: .approved,
            condition: .unlessSent,
            means: .find,
            value: .giftCardLoaded,
            attempted: usd(2340)
        ),
        minimal: Verdict(evidence: .reader, response: Response())
    )

    static let resolution = Pair(
        full: Resolution(
            outcome: .partiallyApproved,
            means: .reversalAcknowledgement,
            operation: .credit,
            amounts: amounts.full,
            evidence: .gateway,
            references: references,
            at: at,
            answeredAt: instant,
            statementLine: UUID128("0198c1c2-6a00-7000-8000-000000000009"),
            testimony: Testimony(
                evidence: "the gateway's portal",
                reason: "the customer asked",
                followUp: FollowUpInDoubt(.refundVoid, refund: "refund:1"),
                approval: changeApproval
            )
        ),
        minimal: Resolution(outcome: .notPosted, means: .find, evidence: .settlement)
    )

    static let increment = Pair(
        full: Increment(id: "i1", delta: usd(-250), evidence: .gateway, at: at),
        minimal: Increment(id: "i2", delta: usd(250), evidence: .reader)
    )

    static let capture = Pair(
        full: Capture(
            id: Capture.saleID,
            amounts: amounts.full,
            evidence: .gateway,
            response: response,
            references: references,
            own: references,
            batch: batch.full,
            at: at
        ),
        minimal: Capture(id: "c", amounts: amounts.minimal, evidence: .settlement)
    )

    private static let account = TenderAccount(
        kind: "gift",
        brand: "Visa",
        lastFour: "0119",
        tokenDigest: "sha256:e3b0c44298fc1c14"
    )

    static let tender = Pair(
        full: Tender(
            id: "t1",
            marks: TenderMarks(reference: "P1", authorization: "A1", place: 1, turn: 2, isListed: true),
            amounts: amounts.full,
            balance: usd(660),
            offers: [NamedAmount(id: "o1", amount: usd(500))],
            isPartial: true,
            isCaptured: false,
            account: account,
            evidence: .gateway,
            response: response,
            references: references,
            at: at
        ),
        minimal: Tender(id: "t2", amounts: amounts.minimal, evidence: .reader)
    )

    static let tenderRefusal = Pair(
        full: TenderRefusal(
            outcome: .declined,
            id: "t3",
            amount: usd(1000),
            account: account,
            evidence: .gateway,
            response: response,
            references: references,
            at: at
        ),
        minimal: TenderRefusal(outcome: .failed, evidence: .reader)
    )

    static let followUpRefusal = Pair(
        full: FollowUpRefusal(
            .capture,
            outcome: .declined,
            amount: usd(1000),
            isWhole: true,
            tip: usd(100),
            original: references,
            evidence: .gateway,
            response: response,
            at: at
        ),
        minimal: FollowUpRefusal(.void, outcome: .failed, evidence: .reader)
    )

    static let dispense = Pair(
        full: Dispense(
            id: "d1",
            requested: usd(10_000),
            dispensed: usd(6000),
            isPartial: true,
            figures: [Figure(field: "amount", raw: "60.00", exponent: 2)],
            account: account,
            evidence: .gateway,
            response: response,
            references: references,
            at: at
        ),
        minimal: Dispense(id: "d2", dispensed: usd(2000), evidence: .reader)
    )

    static let tip = Pair(
        full: TipAdjustment(
            tip: usd(200),
            amounts: amounts.full,
            evidence: .gateway,
            response: response,
            references: references,
            at: at
        ),
        minimal: TipAdjustment(tip: usd(0), evidence: .reader)
    )

    static let part = Pair(
        full: Return(
            id: "r",
            amount: usd(500),
            evidence: .gateway,
            response: response,
            references: references,
            batch: batch.full,
            stated: StatedPayment(amount: usd(500), isCardholderPresent: true),
            at: at,
            statementLine: UUID128(high: 1, low: 2)
        ),
        minimal: Return(id: "r", evidence: .reader)
    )

    static let settlement = Pair(
        full: Settlement(
            id: "s",
            amount: usd(1340),
            batch: batch.full,
            evidence: .settlement,
            response: response,
            at: at,
            occurredAt: instant
        ),
        minimal: Settlement(id: "s")
    )

    /// The type has no optional parts.
    static let link = Pair(
        full: KeysLinked(other: "transaction/019b7a2e-0000-7000-8000-000000000001", key: "dejavoo:rrn:413613500098"),
        minimal: KeysLinked(other: "transaction/019b7a2e-0000-7000-8000-000000000002", key: "app:app:order-1")
    )

    static let anomaly = Pair(
        full: Anomaly(
            .followUpInDoubt,
            "whether the void took effect is not known",
            related: ["transaction/x"],
            inDoubt: FollowUpInDoubt(.refundVoid, refund: "refund:1")
        ),
        minimal: Anomaly(.settledTwice, "already settled")
    )

    private static let totals = HostTotals(count: 3, sales: usd(2000), refunds: usd(660), net: usd(1340))

    private static let sales = ApplicationTotals.Total(name: "SaleAmount", amount: Money(2_000, .usd))

    static let closing = Pair(
        full: BatchClosing(
            batch: batch.full,
            settlement: "s-1",
            response: response,
            totals: totals,
            applications: [ApplicationTotals(application: "Credit", response: response, count: 3, amounts: [sales])],
            evidence: .relayed,
            at: at
        ),
        minimal: BatchClosing(batch: batch.minimal, response: Response())
    )

    static let batchLink = Pair(
        full: BatchLink(
            BatchReference(vendor: .dejavoo, account: "S1", number: "42"),
            partOf: BatchReference(vendor: .dejavoo, account: "1234567890", number: "42")
        ),
        minimal: BatchLink(
            BatchReference(vendor: .paydiant, account: nil, number: nil),
            partOf: BatchReference(vendor: .paydiant, account: nil, number: nil)
        )
    )

    static let imbalance = Pair(
        full: BatchImbalance(batch: batch.full, host: totals, ledger: totals),
        minimal: BatchImbalance(batch: batch.minimal, host: HostTotals(), ledger: HostTotals())
    )

    static let refusal = Pair(
        full: IntakeRefusal(
            vendor: "dejavoo",
            kind: "V2Response",
            code: "malformed-money",
            detail: "The amount cannot be read.",
            document: #"{"TotalAmt":"13,40"}"#,
            redactions: [redaction]
        ),
        minimal: IntakeRefusal(vendor: nil, kind: nil, code: "unknown-kind", detail: "", document: nil, redactions: [])
    )

    static let requestRepeat = Pair(
        full: RequestRepeat(position: 17, count: 4),
        minimal: RequestRepeat(position: 1, count: 1)
    )
    static let key = Pair(
        full: KeyIssue(key: "k1", scopes: ["intake", "read"], expires: instant),
        minimal: KeyIssue(key: "k2", scopes: [])
    )
    static let acknowledgement = Pair(
        full: AnomalyAcknowledgement(anomaly: "0198c1c2-6a00-7000-8000-000000000001", reason: "called the acquirer"),
        minimal: AnomalyAcknowledgement(anomaly: "0198c1c2-6a00-7000-8000-000000000002", reason: "-")
    )

    static let description = Pair(
        full: MerchantDescription(
            merchant: "8846",
            zone: "America/New_York",
            cutoff: "04:00",
            reason: "the bar closes at three"
        ),
        minimal: MerchantDescription(merchant: "1", zone: "+00:00", cutoff: "00:00", reason: "-")
    )

    static let device = Pair(
        full: DeviceReport(
            reader: ReaderReference(vendor: .handpoint, serial: "123400123"),
            names: ReaderNames(serial: "123400123", identifier: "5A0F", name: "HiLite 7", account: "1234567890"),
            response: response,
            identity: ReaderIdentity(model: "HiLite", versions: [Detail("firmware", "1.7.3")]),
            battery: 55,
            isCharging: true,
            details: [Detail("cancelAllowed", "true")],
            at: at,
            receipt: PrintedReceipt(total: usd(2340), authorizationCode: "TAS215", card: card),
            attempted: usd(2340)
        ),
        minimal: DeviceReport()
    )

    static let receipt = Pair(
        full: ReceiptIssue(copy: .merchant, reason: "the customer asked for it"),
        minimal: ReceiptIssue(copy: .customer)
    )

    static let value = Pair(
        full: ValueReport(
            amount: usd(2500),
            balance: usd(7500),
            response: response,
            references: references,
            card: card,
            at: at
        ),
        minimal: ValueReport(response: Response())
    )
}
