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
