import Canonical
import DaybookTestKit
import Payments
import Testing

@testable import Projections

/// Payments at a vendor's test system, and operations on a card's value, in the read models.
struct TestPaymentTests {
    private static func document(test isTest: Bool?) -> TransactionEvent {
        .documentReceived(
            DocumentReceived(vendor: .bridgepay, kind: "x", document: .null, redactions: [], isTest: isTest)
        )
    }

    @Test func aTestPaymentIsInNoBatchAndIsMarked() async throws {
        let test = Samples.sale(1000, document: Self.document(test: true))
        #expect(BatchMember.members(of: TransactionState(folding: test)).isEmpty)
        let live = Samples.sale(1000, document: Self.document(test: false))
        #expect(BatchMember.members(of: TransactionState(folding: live)).count == 1)
        try await Following.with { following in
            try await following.log.record(test, about: Samples.id(1))
            try await following.log.record(live, about: Samples.id(2))
            try await following.log.record(Samples.sale(1000), about: Samples.id(3))
            try await following.catchUp()
            for (isTest, expected) in [(true, [1]), (false, [3, 2]), (nil, [3, 2, 1])] {
                var filter = TransactionFilter()
                filter.isTest = isTest
                let found = try await following.transactions.transactions(of: "acme", matching: filter, limit: 10)
                #expect(found.map(\.id) == expected.map(Samples.id), "\(String(describing: isTest))")
            }
            let view = try #require(try await following.transactions.transaction(Samples.id(1), of: "acme"))
            #expect(view.json.contains(#""test":true"#))
            #expect(try await MoneyIdentity(pool: following.log.pool).breaches() == [])
            let (start, end) = (Timestamp.earliest, following.log.clock.now().adding(microseconds: 86_400_000_000))
            let day = try await DayQuery(pool: following.log.pool).summary(of: "acme", from: start, to: end)
            #expect(day.lines.map(\.count).reduce(0, +) == 2)
            let other = try #require(try await following.transactions.transaction(Samples.id(2), of: "acme"))
            #expect(!other.json.contains(#""test""#))
        }
    }

    @Test func anomaliesOfTestPaymentsAreNoOpenWork() async throws {
        let anomaly = Anomaly(.keysDisagree, "x")
        try await Following.with { following in
            for (number, isTest) in [(1, true), (2, false), (3, nil)] as [(Int, Bool?)] {
                let sale = Samples.sale(1000, document: Self.document(test: isTest))
                try await following.log.record(sale + [.anomalyRaised(anomaly)], about: Samples.id(number))
            }
            let batch = StreamName.batch(Samples.batch("7"), of: "acme")
            try await following.append([BatchEvent.anomalyRaised(anomaly)], batch)
            try await following.catchUp()
            let pool = following.log.pool
            let now = following.log.clock.now()
            let day = try await DayQuery(pool: pool).summary(of: "acme", from: now, to: now)
            #expect(day.openAnomalies == DaySummary.Attention(count: 3, hasMore: false))
            let payments = (1...3).map { StreamName.transaction(Samples.id($0)) }
            for (isTest, streams) in [
                (true, [payments[0]]), (false, [batch, payments[2], payments[1]]),
                (nil, [batch, payments[2], payments[1], payments[0]]),
            ] as [(Bool?, [String])] {
                var filter = AnomalyFilter()
                filter.isTest = isTest
                let found = try await AnomalyQuery(pool: pool).anomalies(of: "acme", matching: filter, limit: 10)
                #expect(found.map(\.stream) == streams)
            }
        }
    }

    @Test func cardChecksAreShownAndFiltered() async throws {
        var card = Samples.card("Visa")
        card.addressCheck = CardCheck(code: "4D", result: "street matches, postal code differs")
        card.codeCheck = CardCheck(code: "N", result: "differs")
        let checked = card
        try await Following.with { following in
            try await following.log.record(Samples.sale(1000, card: checked), about: Samples.id(1))
            try await following.log.record(Samples.sale(1000, card: Samples.card("Visa")), about: Samples.id(2))
            try await following.catchUp()
            let filters: [(inout TransactionFilter) -> Void] = [{ $0.addressCheck = "4D" }, { $0.codeCheck = "N" }]
            for set in filters {
                var filter = TransactionFilter()
                set(&filter)
                let found = try await following.transactions.transactions(of: "acme", matching: filter, limit: 10)
                #expect(found.map(\.id) == [Samples.id(1)])
                #expect(found.first?.json.contains(#""codeCheck":{"code":"N","result":"differs"}"#) == true)
            }
        }
    }

    @Test func conditionsOfTheRequestAndTheKindOfCardAreFiltered() async throws {
        var stated = Circumstances()
        (stated.isCardPresent, stated.voiceAuthorization, stated.taxIndicator) = (false, "V77", "exempt")
        stated.healthCare = HealthCare()
        stated.healthCare?.amount = Samples.usd(300)
        var commercial = Samples.card("Visa")
        commercial.isCommercial = true
        var (present, personal) = (Circumstances(), Samples.card("Visa"))
        (present.isCardPresent, present.taxIndicator, personal.isCommercial) = (true, "provided", false)
        let payments = [Self.sale(stated, commercial), Self.sale(present, personal), Samples.sale(1000)]
        try await Following.with { following in
            for (index, events) in payments.enumerated() {
                try await following.log.record(events, about: Samples.id(index + 1))
            }
            try await following.catchUp()
            let filters: [(String, [Int], (inout TransactionFilter) -> Void)] = [
                ("health care", [1], { $0.isHealthCare = true }),
                ("no health care", [3, 2], { $0.isHealthCare = false }),
                ("voice", [1], { $0.isVoiceAuthorized = true }),
                ("no voice", [3, 2], { $0.isVoiceAuthorized = false }),
                ("present", [2], { $0.isCardPresent = true }), ("not present", [1], { $0.isCardPresent = false }),
                ("commercial", [1], { $0.isCommercial = true }), ("other card", [2], { $0.isCommercial = false }),
                ("exempt", [1], { $0.taxIndicator = "exempt" }), ("taxed", [2], { $0.taxIndicator = "provided" }),
            ]
            for (name, expected, set) in filters {
                var filter = TransactionFilter()
                set(&filter)
                let found = try await following.transactions.transactions(of: "acme", matching: filter, limit: 10)
                #expect(found.map(\.id) == expected.map(Samples.id), "\(name)")
            }
        }
    }

    private static func sale(_ stated: Circumstances, _ card: CardPresentation) -> [TransactionEvent] {
        let amounts = Amounts(total: Samples.usd(1000))
        let approval = Approval(
            amounts: amounts,
            evidence: .gateway,
            response: Response(code: "A01"),
            references: References(),
            card: card
        )
        return [
            Samples.document(), .saleRequested(PaymentRequest(amounts: amounts, circumstances: stated)),
            .authorizationApproved(approval),
        ]
    }

    private static func receipt(_ events: [TransactionEvent]) -> Receipt {
        Receipt(
            TransactionState(folding: events),
            transaction: Samples.id(1),
            firstSeen: Timestamp(microsecondsSince1970: 1_767_225_600_000_000)
        )
    }

    @Test(
        "Gift cards and tokens have their own kind and title",
        arguments: [
            (ValueEventName.giftCardActivated, Receipt.Kind.giftActivation, "GIFT CARD ACTIVATION"),
            (.giftCardLoaded, .giftLoad, "GIFT CARD LOAD"),
            (.giftCardDeactivated, .giftDeactivation, "GIFT CARD DEACTIVATION"), (.tokenIssued, .token, "CARD TOKEN"),
            (.balanceInquired, .balance, "BALANCE"),
        ]
    )
    func values(name: ValueEventName, kind: Receipt.Kind, title: String) {
        let report = ValueReport(amount: Samples.usd(5000), balance: Samples.usd(7500), response: Response(code: "A01"))
        let receipt = Self.receipt([Samples.document(), .value(ValueEvent(name, report))])
        let text = ReceiptText.render(receipt, copy: .customer)
        #expect(receipt.kind == kind && receipt.status == .completed)
        #expect(text.contains(title) && text.contains("NO PAYMENT"))
        #expect(!text.contains("SALE") && !text.contains("REQUESTED"))
        if name == .giftCardLoaded { #expect(text.contains("50.00") && text.contains("75.00")) }
    }

    @Test func aTestReceiptSaysSo() {
        let receipt = Self.receipt(Samples.sale(1000, document: Self.document(test: true)))
        #expect(receipt.isTest == true && ReceiptText.render(receipt, copy: .merchant).contains("TEST"))
        #expect(Self.receipt(Samples.sale(1000)).isTest == nil)
    }

    @Test func aPartialWithdrawalShowsWhatWasRequestedAndOwesNothing() {
        let dispense = Dispense(
            id: "withdrawal",
            requested: Samples.usd(10_000),
            dispensed: Samples.usd(6000),
            isPartial: true,
            evidence: .gateway
        )
        let receipt = Self.receipt([Samples.document(vendor: .paydiant), .cashDispensed(dispense)])
        let text = ReceiptText.render(receipt, copy: .customer)
        #expect(receipt.kind == .cashWithdrawal && receipt.status == .captured && receipt.due == nil)
        #expect(text.contains("CASH WITHDRAWAL") && text.contains("100.00") && text.contains("60.00"))
        #expect(!text.contains("DUE") && !text.contains("40.00"))
    }

    @Test func anOfferIsADiscountOnTheReceipt() {
        let tender = Tender(
            id: "t",
            amounts: Amounts(total: Samples.usd(2000)),
            offers: [NamedAmount(id: "5off25", amount: Samples.usd(500))],
            evidence: .gateway
        )
        let asked = PaymentRequest(amounts: Amounts(total: Samples.usd(2500)))
        let receipt = Self.receipt([Samples.document(vendor: .paydiant), .saleRequested(asked), .tenderApplied(tender)])
        let text = ReceiptText.render(receipt, copy: .customer)
        #expect(receipt.discount == Samples.usd(500) && receipt.due == nil)
        for amount in ["25.00", "5.00", "20.00"] { #expect(text.contains(amount)) }
    }
}
