import Canonical
import Payments
import Projections
import Testing

/// One payment for each kind of receipt.
struct ReceiptSample: Sendable, CustomTestStringConvertible {
    var name: String
    var receipt: Receipt
    var tipLine = false

    var testDescription: String { name }

    static let all: [ReceiptSample] = [
        make("sale", sale(tip: nil)),
        make("sale-pin", sale(tip: nil, card: chip(verification: "020300", pin: true, signature: false))),
        make("sale-contactless", sale(tip: nil, card: contactless)),
        make("authorization", authorization),
        make("capture", authorization + [.captured(capture("c1", 1340))]),
        make("tip-line", sale(tip: nil), tipLine: true),
        make("tip-adjusted", sale(tip: nil) + [.tipAdjusted(TipAdjustment(tip: usd(200), evidence: .gateway))]),
        make("void", sale(tip: nil) + [.voided(given("v1", nil))]),
        make("void-authorization", authorization + [.voided(given("v1", nil))]),
        make("refund", sale(tip: nil) + [.refunded(given("r1", 1340))]),
        make("partial-refund", sale(tip: nil) + [.refunded(given("r1", 340))]),
        make("credit", credit),
        make("declined", [document, .saleRequested(request(1340)), .declined(verdict("05", "DO NOT HONOR"))]),
        make("cancelled", [document, .saleRequested(request(1340)), .cancelled(verdict(nil, "CANCELLED BY USER"))]),
        make("failed", [document, .saleRequested(request(1340)), .failed(verdict("96", "SYSTEM ERROR"))]),
        make("outcome-unknown", [document, .saleRequested(request(1340)), .outcomeUnknown(verdict(nil, nil))]),
        make("partial-approval", partial),
        make("verification", verification),
        make("gift-balance", balance),
        make("gift-activation", [document, value(.giftCardActivated, usd(2500))]),
        make("gift-load", [document, value(.giftCardLoaded, usd(1000), balance: usd(3500))]),
        make("gift-deactivation", [document, value(.giftCardDeactivated)]),
        make("token", [document, value(.tokenIssued)]),
        make("cash-withdrawal", withdrawal),
        make("no-decimals", sale(1340, tip: 100, currency: .jpy)),
        make("three-decimals", sale(13_405, tip: 1005, currency: kwd)),
        make(
            "reprint",
            sale(tip: nil) + [issued(.customer), issued(.merchant), issued(.customer), issued(.customer)]
        ),
        make("markup", markup),
        make("wide-characters", wide),
        // The clocks changed between the payment and its void.
        make("merchant-zone", voidedLater, zone: "America/New_York"),
        make("merchant-offset", voidedLater, zone: "+05:30"),
    ]

    private static func make(
        _ name: String,
        _ facts: [TransactionEvent],
        tipLine: Bool = false,
        zone: String? = nil
    ) -> ReceiptSample {
        var receipt = Receipt(
            TransactionState(folding: facts),
            transaction: Samples.id(1),
            firstSeen: Timestamp(microsecondsSince1970: 1_767_323_045_000_006),
            position: 40 + Int64(facts.count)
        )
        receipt.zone = zone.flatMap { Zone($0) }
        return ReceiptSample(name: name, receipt: receipt, tipLine: tipLine)
    }

    // MARK: Parts

    private static let kwd: Currency = {
        guard let currency = Currency(alpha: "KWD") else { preconditionFailure("ISO 4217 has it") }
        return currency
    }()

    private static func usd(_ minor: Int64) -> Money { Money(minor, .usd) }

    private static let document = Samples.document(merchant: "876543210")

    private static let references = References(
        gatewayTransaction: "23121101",
        retrievalReference: "413613500098",
        invoice: "A-1",
        merchant: "876543210",
        terminal: "1234567890"
    )

    private static let approvedReferences: References = {
        var approved = references
        approved.authorizationCode = "TAS215"
        return approved
    }()

    private static func chip(
        verification: String = "1E0300",
        pin: Bool? = nil,
        signature: Bool? = true
    ) -> CardPresentation {
        var card = Samples.card("Visa", funding: "debit")
        card.entryMethod = "Chip_Read"
        card.applicationLabel = "VISA DEBIT"
        card.applicationIdentifier = "A0000000031010"
        card.terminalVerificationResults = "8080008000"
        card.transactionStatusInformation = "6800"
        card.issuerApplicationData = "06010A03A00000"
        card.applicationCryptogram = "8E19ED4BCA5C670A"
        card.cryptogramInformation = "80"
        card.verificationResults = verification
        card.requiresSignature = signature
        card.pinEntered = pin
        card.tokenDigest = "sha256:e3b0c44298fc1c14"
        return card
    }

    private static let contactless: CardPresentation = {
        var card = chip(verification: "1F0302", signature: false)
        card.entryMethod = "tap-on-phone"
        card.cryptogramInformation = "40"
        return card
    }()

    private static func request(_ total: Int64, _ currency: Currency = .usd) -> PaymentRequest {
        PaymentRequest(amounts: Amounts(total: Money(total, currency)), references: references)
    }

    private static func approval(_ amounts: Amounts, requested: Money? = nil, _ card: CardPresentation) -> Approval {
        Approval(
            amounts: amounts,
            requested: requested,
            evidence: .gateway,
            response: Response(code: "00", message: "APPROVED"),
            references: approvedReferences,
            card: card
        )
    }

    private static func verdict(_ code: String?, _ message: String?) -> Verdict {
        Verdict(
            evidence: .gateway,
            response: Response(code: code, message: message),
            references: references,
            card: chip()
        )
    }

    private static func given(_ id: String, _ amount: Int64?) -> Return {
        Return(
            id: id,
            amount: amount.map(usd),
            evidence: .gateway,
            response: Response(code: "00"),
            references: .init()
        )
    }

    private static func issued(_ copy: ReceiptCopy) -> TransactionEvent { .receiptIssued(ReceiptIssue(copy: copy)) }

    private static func capture(_ id: String, _ total: Int64) -> Capture {
        Capture(
            id: id,
            amounts: Amounts(total: usd(total)),
            evidence: .gateway,
            batch: Samples.batch("121", account: "1234567890")
        )
    }

    // MARK: Payments

    private static func sale(
        _ total: Int64 = 1340,
        tip: Int64?,
        currency: Currency = .usd,
        card: CardPresentation = chip()
    ) -> [TransactionEvent] {
        var amounts = Amounts(total: Money(total, currency))
        if let tip {
            amounts.base = Money(total - tip, currency)
            amounts.tip = Money(tip, currency)
        }
        return [
            document, .saleRequested(request(total, currency)), .authorizationApproved(approval(amounts, card)),
            .captured(
                Capture(
                    id: Capture.saleID,
                    amounts: amounts,
                    evidence: .gateway,
                    batch: Samples.batch("121", account: "1234567890")
                )
            ),
        ]
    }

    private static let authorization: [TransactionEvent] = [
        document, .authorizationRequested(request(1340)),
        .authorizationApproved(approval(Amounts(total: usd(1340)), chip())),
    ]

    /// A sale in January, voided in July.
    private static let voidedLater: [TransactionEvent] = {
        var reported = request(1340)
        reported.at = .instant(Timestamp(microsecondsSince1970: 1_767_323_045_000_000))
        let void = Samples.taken("v1", nil, at: Timestamp(microsecondsSince1970: 1_782_977_400_000_000))
        return [document, .saleRequested(reported)] + sale(tip: nil).dropFirst(2) + [.voided(void)]
    }()

    private static let credit: [TransactionEvent] = [
        document, .creditRequested(request(500)), .creditApproved(approval(Amounts(total: usd(500)), chip())),
    ]

    private static let partial: [TransactionEvent] = [
        document, .saleRequested(request(15_500)),
        .partiallyApproved(approval(Amounts(total: usd(14_500)), requested: usd(15_500), chip())),
        .captured(capture(Capture.saleID, 14_500)),
    ]

    private static let balance: [TransactionEvent] = [document, value(.balanceInquired, usd(2550))]

    private static func value(_ name: ValueEventName, _ sum: Money? = nil, balance: Money? = nil) -> TransactionEvent {
        let kind = name.isToken ? ("Visa", "credit") : ("Gift", "gift")
        var card = Samples.card(kind.0, lastFour: "0042", funding: kind.1)
        if name.isToken { card.tokenDigest = "sha256:e3b0c44298fc1c14" }
        let report = ValueReport(
            amount: sum,
            balance: balance,
            response: Response(code: "00", message: "APPROVED"),
            references: references,
            card: card
        )
        return .value(ValueEvent(name, report))
    }

    private static let verification: [TransactionEvent] = [
        document, .accountVerified(approval(Amounts(total: usd(0)), chip())),
    ]

    private static let withdrawal: [TransactionEvent] = [
        document, .saleRequested(request(10_000)),
        .cashDispensed(
            Dispense(
                id: "d1",
                requested: usd(10_000),
                dispensed: usd(10_000),
                isPartial: false,
                account: TenderAccount(kind: "debit", brand: "Visa", lastFour: "0119"),
                evidence: .gateway,
                response: Response(code: "200", message: "APPROVED"),
                references: references
            )
        ),
    ]

    /// Text that tries to break out of the page.
    private static let markup: [TransactionEvent] = {
        var card = chip()
        card.brand = "<script>alert(1)</script>"
        card.applicationLabel = "\"'><img src=x onerror=alert(1)>"
        var reported = request(1340)
        reported.references.invoice = "&lt;b&gt; \u{202e}50.1 LATOT\u{1b}[2J</dd><style>*{display:none}"
        return [
            document, .saleRequested(reported), .authorizationApproved(approval(Amounts(total: usd(1340)), card)),
            .captured(capture(Capture.saleID, 1340)),
        ]
    }()

    /// Double-width characters, both where they just fit and where they do not.
    private static let wide: [TransactionEvent] = {
        var card = chip()
        card.brand = "銀聯"
        card.applicationLabel = "銀聯デビット"
        var reported = request(1340, .jpy)
        reported.references.invoice = "請求書番号二〇二六年一月第千三百四十号の控え"
        return [
            document, .saleRequested(reported),
            .authorizationApproved(approval(Amounts(total: Money(1340, .jpy)), card)),
            .captured(
                Capture(id: Capture.saleID, amounts: Amounts(total: Money(1340, .jpy)), evidence: .gateway)
            ),
        ]
    }()
}
