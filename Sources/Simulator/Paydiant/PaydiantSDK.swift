import Canonical
import Payments

/// A wallet with Paydiant's transaction module, at tills and cash machines.
struct PaydiantSDK: VirtualSDK {
    var vendor: Vendor { .paydiant }
    var currencies: [Currency] { [.usd] }
    var faults: [Fault] {
        [.lostAnswer, .readerDisconnect, .contradictoryVerdicts, .powerLoss, .partialApproval]
    }

    var troubles: [Trouble] { [.deposit, .partialWithdrawal, .cancelRace, .codeTables] }

    func intents(at merchant: Merchant) -> [(Intent, weight: Int)] {
        [
            (.sale, weight: 66), (.split, weight: 10), (.withdrawal, weight: 6), (.credit, weight: 3),
            (.declined, weight: 8), (.cancelled, weight: 5),
        ]
    }

    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        if intent == .withdrawal { return Basket(base: Int64(random.within(1...15)) * 2_000) }
        var basket = plainBasket(intent, at: merchant, &random)
        if fault == .partialApproval { basket.tip = 0 }
        return basket
    }

    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        _ = terminal.count()
        let letters = Array("ABCDEFGHJKMNPQRSTVWXYZ")
        func group() -> String {
            String((0..<4).map { $0 % 2 == 0 ? random.pick(letters) : Character(random.digits(1)) })
        }
        let token = "PDT-\(group())-\(group())-\(group())-\(group())"
        let wallet = random.hexadecimal(8).lowercased()
        var till = PaydiantTill(
            forms: PaydiantForms(
                purchase: purchase,
                terminal: terminal,
                token: token,
                accounts: ["paydiant://account/\(wallet)-gift", "paydiant://account/\(wallet)-card"],
                code: "P\(random.digits(5))"
            ),
            batch: BatchName(vendor: vendor, account: terminal.account ?? terminal.id),
            habits: random.fork("habits"),
            random: random
        )
        till.play(&script)
    }
}
