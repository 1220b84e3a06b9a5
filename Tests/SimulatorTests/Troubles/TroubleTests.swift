import Canonical
import Payments
import Testing

@testable import Simulator

@Suite struct TroubleTests {
    private static func played(_ troubles: TroubleProfile, faults: FaultProfile = .none) throws -> Played {
        try Played(merchants: 20, terminals: 40, transactions: 900, days: 3, faults: faults, troubles: troubles)
    }

    /// Each trouble alone is played, and no other.
    @Test(arguments: Trouble.allCases)
    func eachTroubleIsPlayedAlone(_ trouble: Trouble) throws {
        var profile = TroubleProfile.none
        profile[trouble] = 500_000
        let played = try Self.played(profile)
        #expect((played.simulation.troubles[trouble] ?? 0) > 3, "\(played.simulation.troubles)")
        #expect(played.simulation.troubles.keys.allSatisfy { $0 == trouble })
    }

    @Test func theSameSeedGivesTheSameTroubles() throws {
        let first = try Self.played(TroubleProfile(all: 100_000), faults: FaultProfile(all: 20_000)).bytes()
        #expect(try Self.played(TroubleProfile(all: 100_000), faults: FaultProfile(all: 20_000)).bytes() == first)
    }

    /// The three ids of BridgePay differ, and a settlement names the account only.
    @Test func idsDifferByRole() throws {
        var profile = TroubleProfile.none
        profile[.idsByRole] = 1_000_000
        profile[.accountSettlement] = 1_000_000
        let played = try Self.played(profile)
        let bridgePay = played.deliveries.map(\.document).filter { $0.vendor == .bridgepay }
        let settlements = bridgePay.filter { $0.body["requestType"] == "020" }
        #expect(!settlements.isEmpty)
        let accounts = Set(played.simulation.merchants.map(\.codes.account))
        for settlement in settlements {
            #expect(settlement.record["merchant"] == nil && settlement.record["terminal"] == nil)
            #expect(accounts.contains(settlement.body["merchantAccountCode"]?.string ?? ""))
        }
        for merchant in played.simulation.merchants {
            let codes = merchant.codes
            #expect(Set([merchant.id, codes.account, codes.gateway, codes.network]).count == 4)
        }
        let answers = bridgePay.compactMap { $0.body["BridgeCommResponse"] }
        #expect(answers.contains { $0["networkTerminalID"]?.string?.hasPrefix("PPB") == true })
    }

    /// Documents without the merchant, and at least one with it for each payment.
    @Test func everyPaymentNamesItsMerchantOnce() throws {
        var profile = TroubleProfile.none
        profile[.merchantAbsent] = 500_000
        let played = try Self.played(profile)
        let documents = Dictionary(grouping: played.deliveries.map(\.document).filter { $0.reference != nil }) {
            $0.reference ?? ""
        }
        #expect(documents.values.allSatisfy { $0.contains(where: \.namesMerchant) })
        #expect(documents.values.contains { $0.contains { !$0.namesMerchant } })
    }

    /// Test sales are in no batch and on no day; gift cards move no money.
    @Test func testSalesAndGiftCardsAreNoMoney() throws {
        var profile = TroubleProfile.none
        profile[.testMode] = 200_000
        profile[.giftCard] = 200_000
        let payments = try Self.played(profile).payments
        let tests = payments.filter(\.isTest)
        #expect(tests.count > 10)
        #expect(tests.allSatisfy { $0.batch == nil && $0.businessDay == nil && $0.captured > 0 })
        let gifts = payments.filter { $0.troubles.contains(.giftCard) }
        #expect(gifts.count > 10)
        #expect(gifts.allSatisfy { $0.status == .completed && $0.captured == 0 && $0.batch == nil })
    }

    /// A void by mistake changes the payment that it names, and the batch has its sums.
    @Test func aVoidByMistakeVoidsTheNamedPayment() throws {
        var profile = TroubleProfile.none
        profile[.wrongReference] = 300_000
        let played = try Self.played(profile)
        let wrong = played.payments.filter { !$0.flags.isEmpty }
        let named = wrong.compactMap(\.flaggedWith)
        #expect(wrong.count > 20 && !named.isEmpty && named.count < wrong.count)
        #expect(wrong.allSatisfy { $0.captured > 0 })
        let voided = played.payments.filter { named.contains($0.reference) }
        #expect(voided.allSatisfy { $0.status == .voided && $0.captured == 0 })
        for batch in played.simulation.batches {
            #expect(played.payments.filter { $0.batch == batch.batch }.reduce(0) { $0 + $1.net } == batch.net)
        }
    }

    /// A stored result names the earlier sale, and arrives under the next one.
    @Test func aRecoveredResultArrivesUnderTheNextSale() throws {
        var profile = TroubleProfile.none
        profile[.recoveredLater] = 300_000
        let played = try Self.played(profile)
        let lost = played.payments.filter { $0.evidence == .indirect }
        #expect(lost.count > 10)
        let recovered = played.deliveries.map(\.document).filter {
            $0.body["xml"]?["RecoveredTransaction"] == "true" && $0.body["statusCode"]?.int64 == 1
        }
        #expect(!recovered.isEmpty)
        for document in recovered {
            let id = document.body["transactionId"]?.string
            let owner = lost.first { $0.id("gatewayTransaction") == id }
            #expect(owner != nil && owner?.reference != document.reference)
        }
    }

    private static func played(_ troubles: Trouble..., of vendor: Vendor) throws -> Played {
        var profile = TroubleProfile.none
        for trouble in troubles { profile[trouble] = 200_000 }
        return try Played(
            merchants: 12,
            terminals: 24,
            transactions: 600,
            days: 2,
            faults: .none,
            vendors: [vendor],
            troubles: profile
        )
    }

    /// What an app states beside the amount is in its request, and part of the amount.
    @Test func salesHaveClerksTaxesAndCashBack() throws {
        let played = try Self.played(.forcedSale, .voiceSale, .healthCare, of: .bridgepay)
        let requests = played.deliveries.compactMap { $0.document.body["BPNPaymentRequest"] }
        for name in ["clerkId", "tipRecipientCode", "taxRate", "taxAmount", "cashBackAmount"] {
            #expect(requests.contains { $0[name] != nil }, "\(name)")
        }
        let payments = played.payments.filter { $0.shown["references.clerk"] != nil }
        #expect(payments.count > 100 && payments.contains { $0.cashBack != nil })
        for payment in payments {
            let parts = payment.base + payment.tax + payment.tip + (payment.cashBack ?? 0)
            #expect(parts == payment.requested && payment.base > 0 && payment.tax > 0, "\(payment.reference)")
            let posted = payment.entries.filter { $0.account.name == "tax-payable" }
            #expect(posted.map(\.amount) == [-payment.tax])
        }
    }

    @Test func cancellationsOfBridgePayAreHonouredTooLateOrUnknown() throws {
        let payments = try Self.played(.cancelRace, of: .bridgepay).payments.filter { $0.cancellation != nil }
        #expect(Set(payments.compactMap(\.cancellation)) == ["honoured", "too-late", "requested"])
        for payment in payments {
            switch payment.cancellation {
            case "honoured": #expect(payment.status == .cancelled && payment.captured == 0)
            case "too-late": #expect(payment.captured == payment.requested && payment.evidence == .complete)
            default: #expect(payment.evidence == .missing)
            }
        }
    }

    @Test func salesOfHandpointAreSpreadOverMonths() throws {
        let played = try Self.played(.codeTables, of: .handpoint)
        let sales = played.deliveries.map(\.document).filter { $0.kind == "saleWithAmount" }
        #expect(sales.contains { $0.body["present"] == false } && sales.contains { $0.body["months"] == 12 })
        let spread = played.payments.filter { $0.shown["budgetMonths"] == 12 }
        #expect(!spread.isEmpty && spread.allSatisfy { $0.captured > 0 && $0.shown["cardholderPresent"] == true })
    }

    @Test(arguments: ["deposit", "deposit=2", "sometimes=0.1", "all=0.1,", "late=0.1"])
    func otherProfilesAreRefused(text: String) {
        #expect(throws: InvalidProfile.self) { try TroubleProfile(parsing: text) }
    }

    @Test func profilesAreRead() throws {
        let profile = try TroubleProfile(parsing: "all=0.02,deposit=0.5")
        #expect(profile[.deposit] == 500_000 && profile[.giftCard] == 20_000)
        #expect(try TroubleProfile(parsing: profile.text) == profile)
        #expect(try TroubleProfile(parsing: "none") == .none)
    }
}
