import Canonical
import Payments

/// uCube readers, with an app that contacts its host directly.
struct YouTransactorSDK: VirtualSDK {
    var vendor: Vendor { .youtransactor }
    /// Currencies with two, zero and three decimals.
    var currencies: [Currency] { [.eur, .jpy, Currency(alpha: "KWD") ?? .eur] }
    var faults: [Fault] {
        [
            .lostAnswer, .readerDisconnect, .contradictoryVerdicts, .powerLoss, .partialApproval,
            .hostApprovedTerminalDeclined,
        ]
    }

    var troubles: [Trouble] { [.cancelRace, .codeTables] }

    func intents(at merchant: Merchant) -> [(Intent, weight: Int)] {
        [
            (.sale, weight: 78), (.credit, weight: 4), (.withdrawal, weight: 3), (.verification, weight: 1),
            (.declined, weight: 9), (.cancelled, weight: 4),
        ]
    }

    /// The SDK does not support tips.
    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        if intent == .verification { return Basket(base: 0) }
        var basket = plainBasket(intent, at: merchant, &random)
        basket.tip = 0
        return basket
    }

    func open(_ terminal: inout VirtualTerminal, into script: inout Script, _ random: inout SeededRandom) {
        terminal.firmware = UCubeReader(terminal: terminal).open(into: &script, &random)
    }

    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        let number = terminal.count()
        let counter = String(0x1_0000 + number % 0xFFFF, radix: 16, uppercase: true).dropFirst()
        var till = UCubeTill(
            forms: UCubeForms(
                purchase: purchase,
                terminal: terminal,
                counter: String(counter),
                // A value that begins with a letter is never taken for a number.
                unpredictable: "A\(random.hexadecimal(7))",
                cryptogram: "B\(random.hexadecimal(15))",
                secured: "C\(random.hexadecimal(31))"
            ),
            batch: BatchName(vendor: vendor, account: terminal.id),
            reader: UCubeReader(terminal: terminal),
            habits: random.fork("habits"),
            random: random
        )
        till.play(&script)
    }
}
