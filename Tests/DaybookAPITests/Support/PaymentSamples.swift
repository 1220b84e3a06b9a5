import Canonical
import DaybookTestKit
import Payments
import Projections

/// Payments in which every member is there or absent.
struct PaymentSamples {
    var random: SeededGenerator

    private mutating func maybe<Value>(_ value: Value) -> Value? { Bool.random(using: &random) ? value : nil }
    private mutating func flag() -> Bool { Bool.random(using: &random) }
    private mutating func amount() -> Int64 { Int64.random(in: -10...5_000, using: &random) }
    private mutating func money() -> Money { Money(amount(), .usd) }
    private mutating func pick<Value: CaseIterable>(_ type: Value.Type) -> Value {
        Array(type.allCases).randomElement(using: &random)!
    }
    private mutating func time() -> Timestamp { Timestamp(microsecondsSince1970: 1_767_000_000_000_000 + amount()) }

    mutating func payment() -> TransactionView {
        TransactionView(
            id: UUID128(high: 1, low: 2),
            state: state(),
            firstPosition: 5,
            lastPosition: 9,
            occurredAt: time(),
            recordedAt: time()
        )
    }

    private mutating func state() -> TransactionState {
        var state = TransactionState()
        if flag() {
            var tender = Tender(id: "a", amounts: Amounts(total: Money(500, .usd)), evidence: pick(Evidence.self))
            tender.account = maybe(account())
            tender.offers = flag() ? [NamedAmount(id: "o1", amount: maybe(Money(20, .usd)))] : nil
            state = TransactionState(folding: [.tenderApplied(tender), .tenderRefused(refusal())])
        } else if flag() {
            state = TransactionState(folding: [.value(valueEvent())])
        }
        state.identity.operation = maybe(.reported(pick(Operation.self)))
        state.identity.vendor = maybe(pick(Vendor.self))
        state.identity.reference = maybe("order \"7\"")
        state.identity.merchant = maybe("8846")
        state.identity.terminal = maybe("lane 3")
        state.identity.device = maybe("till")
        state.identity.cardReader = maybe(ReaderReference(vendor: .handpoint, serial: "400-1"))
        state.identity.tender = maybe("card")
        state.identity.isTest = maybe(flag())
        state.identity.circumstances = maybe(circumstances())
        state.identity.terms = maybe(PaymentTerms(isCardholderPresent: maybe(flag()), budgetMonths: maybe(3)))
        state.steps.signature = maybe(pick(DeviceSteps.Signature.self))
        state.steps.isCancelRequested = flag()
        if flag() { state.times.earliest = ReportedTimes(local()) }
        for source in Evidence.allCases { state.verdicts[source] = maybe(facet()) }
        state.verdicts.current = maybe(.init(outcome: pick(Outcome.self), evidence: pick(Evidence.self)))
        state.references = references()
        state.card = maybe(card())
        state.anomalies = flag() ? [Anomaly(.limitExceeded, "too long", related: maybe(["reader/handpoint/1"]))] : []
        state.linked = flag() ? ["transaction/\(UUID128(high: 1, low: 3))"] : []
        guard state.currency != nil || flag() else { return state }
        addMoney(to: &state)
        return state
    }

    private mutating func addMoney(to state: inout TransactionState) {
        state.currency = .usd
        state.authorization.requested = maybe(amount())
        state.authorization.approved = maybe(amount())
        state.authorization.isPartial = flag()
        if flag() {
            var parts = Amounts(total: money())
            parts.base = maybe(money())
            parts.tip = maybe(money())
            parts.tax = maybe(money())
            parts.fee = maybe(money())
            parts.cashback = maybe(money())
            parts.parts = maybe([AmountPart(pick(AmountPart.Kind.self), label: maybe("City"), amount: money())])
            state.authorization.breakdown = parts
        }
        state.captures = (0..<Int.random(in: 0...2, using: &random)).map { capture("\($0)") }
        state.refunds = (0..<Int.random(in: 0...2, using: &random)).map { returned("\($0)") }
        state.chargebacks = flag() ? [returned("c")] : []
        state.credit = maybe(capture("credit"))
    }

    private mutating func batch() -> BatchReference {
        var batch = BatchReference(vendor: pick(Vendor.self), account: maybe("tpn"), number: maybe("17"))
        if flag() { batch = batch.inGeneration(2) }
        return batch
    }

    private mutating func capture(_ id: String) -> CaptureEntry {
        var entry = CaptureEntry(
            id: id,
            amount: amount(),
            tip: amount(),
            evidence: pick(Evidence.self),
            batch: maybe(batch()),
            at: nil
        )
        if flag() { entry.settlement = .settled(in: maybe(batch())) }
        entry.isInferred = flag()
        return entry
    }

    private mutating func returned(_ id: String) -> ReturnEntry {
        var entry = ReturnEntry(
            id: id,
            amount: amount(),
            evidence: pick(Evidence.self),
            batch: maybe(batch()),
            references: References(),
            at: nil
        )
        if flag() { entry.undoneBy = .settlement }
        return entry
    }

    private mutating func facet() -> Facet {
        Facet(
            outcome: pick(Outcome.self),
            response: response(),
            at: maybe(flag() ? .instant(time()) : local()),
            isRelayed: flag()
        )
    }

    private mutating func response() -> Response {
        var response = Response(code: maybe("05"), message: maybe("DO NOT HONOR\n"))
        response.issuer = maybe(IssuerAnswer(code: maybe("51"), advice: maybe("03")))
        return response
    }

    private mutating func local() -> ReportedTime { .local(LocalTime(shown: time())) }

    private mutating func refusal() -> TenderRefusal {
        TenderRefusal(
            outcome: pick(TenderRefusal.Outcome.self),
            id: maybe("b"),
            amount: maybe(Money(300, .usd)),
            account: maybe(account()),
            evidence: .gateway,
            response: response(),
            at: maybe(local())
        )
    }

    private mutating func valueEvent() -> ValueEvent {
        var report = ValueReport(response: response())
        report.amount = maybe(money())
        report.balance = maybe(money())
        return ValueEvent(pick(ValueEventName.self), report)
    }

    private mutating func circumstances() -> Circumstances {
        var stated = Circumstances()
        stated.isCardPresent = maybe(flag())
        stated.isForced = maybe(flag())
        stated.voiceAuthorization = maybe("V1")
        stated.industry = maybe("RETAIL")
        stated.settlementDelay = maybe("1")
        stated.taxIndicator = maybe("exempt")
        stated.taxRateBasisPoints = maybe(825)
        var care = HealthCare()
        for portion in [
            \HealthCare.amount, \.transit, \.prescription, \.vision, \.dental, \.clinic,
        ] { care[keyPath: portion] = maybe(money()) }
        care.isQualified = maybe(flag())
        stated.healthCare = maybe(care)
        return stated
    }

    private mutating func account() -> TenderAccount {
        TenderAccount(kind: maybe("gift"), brand: maybe("Visa"), lastFour: maybe("0119"), tokenDigest: maybe("ab"))
    }

    private mutating func references() -> References {
        References(
            gatewayTransaction: maybe("g1"),
            authorizationCode: maybe("012345"),
            retrievalReference: maybe("rrn"),
            hostTransaction: maybe("h1"),
            vendorTransaction: maybe("v1"),
            invoice: maybe("9"),
            merchant: maybe("m"),
            gatewayAccount: maybe("320001"),
            terminal: maybe("t"),
            clerk: maybe("ann"),
            tipRecipient: maybe("bob")
        )
    }

    private mutating func card() -> CardPresentation {
        var card = CardPresentation()
        for text in [
            \CardPresentation.brand, \.maskedNumber, \.lastFour, \.entryMethod, \.applicationLabel,
            \.applicationIdentifier, \.terminalVerificationResults, \.transactionStatusInformation,
            \.issuerApplicationData, \.applicationCryptogram, \.cryptogramInformation, \.verificationResults,
            \.funding, \.tokenDigest,
        ] { card[keyPath: text] = maybe("A0") }
        card.requiresSignature = maybe(flag())
        card.pinEntered = maybe(flag())
        card.verification = maybe(pick(CardPresentation.Verification.self))
        card.addressCheck = maybe(CardCheck(code: "Y", result: maybe("match")))
        card.codeCheck = maybe(CardCheck(code: "M", result: maybe("match")))
        card.isCommercial = maybe(flag())
        card.chipAmounts = maybe(ChipAmounts(authorized: amount(), other: amount(), currencyNumeric: maybe(840)))
        return card
    }
}
