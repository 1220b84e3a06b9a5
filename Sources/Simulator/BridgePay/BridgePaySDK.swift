import Canonical
import Matching
import Payments

/// PayGuardian for iOS with BridgePay's test gateway. The apps of every second merchant send the printed text of
/// PayGuardian's objects; the others look up a card's issuer before they continue.
struct BridgePaySDK: VirtualSDK {
    var vendor: Vendor { .bridgepay }
    var currencies: [Currency] { [.usd] }
    var faults: [Fault] { Fault.outcomes }

    var plantable: [ExceptionClass] { [.expiredAuthorization, .inDoubtResolved] }
    var troubles: [Trouble] {
        [
            .requestAbsent, .wrongReference, .testMode, .giftCard, .healthCare, .forcedSale, .voiceSale, .cancelRace,
            .codeTables,
        ]
    }

    /// An amount for which the gateway reports an error with its own id.
    func basketInDoubt(at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        Basket(base: Int64(random.within(BridgePayTestAmounts.troubles)))
    }

    func intents(at merchant: Merchant) -> [(Intent, weight: Int)] {
        // A refund is in a later settlement than its sale: it is left out where settlements are played.
        let refunds = merchant.traits.contains(.accountSettlement) ? 0 : 2
        return [
            (.sale, weight: 54), (.tippedLater, weight: merchant.takesTips ? 20 : 1), (.authorization, weight: 10),
            (.openAuthorization, weight: 2), (.voidedAuthorization, weight: 1), (.voided, weight: 4),
            (.refunded, weight: refunds), (.partlyRefunded, weight: refunds), (.credit, weight: 1),
            (.declined, weight: 7),
            (.cancelled, weight: 2), (.verification, weight: 1),
        ]
    }

    /// The test gateway decides by the amount: approved payments cost 5.00 to 69.99, tip included.
    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        switch (fault, intent) {
        case (.partialApproval, _): return Basket(base: Int64(random.within(BridgePayTestAmounts.partials)))
        case (.lostAnswer, _) where random.chance(percent: 40):
            return Basket(base: Int64(random.within(BridgePayTestAmounts.troubles)))
        case (.lostAnswer, _), (.powerLoss, _): return plainApproved(.declined, at: merchant, &random)
        case (_, .declined): return Basket(base: Int64(random.within(BridgePayTestAmounts.declines)))
        case (_, .verification): return Basket(base: 0)
        default: return plainApproved(intent, at: merchant, &random)
        }
    }

    private func plainApproved(_ intent: Intent, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        var basket = plainBasket(intent, at: merchant, &random)
        basket.base = min(max(basket.base, 500), 5_600)
        if basket.tip > 0 { basket.tip = tip(on: basket.base, &random) }
        return basket
    }

    /// A reader is paired once; later it is only connected.
    func open(_ terminal: inout VirtualTerminal, into script: inout Script, _ random: inout SeededRandom) {
        let reader = BridgePayReader(terminal)
        guard terminal.counter > 0 else {
            return reader.pair(isScanning: random.chance(percent: 60), into: &script, &random)
        }
        script.report("onReaderStateChanged", reader.changed(isConnected: true))
    }

    func closesBatches(of terminal: VirtualTerminal) -> Bool { terminal.isSettledByAccount }

    /// The answer to a settlement initiation names the account code only.
    func close(
        _ terminal: VirtualTerminal,
        _ totals: BatchTotals,
        isRefused: Bool,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        let answer = BridgePayForms.settlement(of: terminal.account ?? terminal.id, isRefused: isRefused)
        script.report("BridgeCommResponse", .object(answer))
        script.unname()
    }

    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        _ = terminal.count()
        let token = "1111000000\(random.digits(6))\(purchase.card.lastFour)"
        var till = BridgePayTill(
            forms: BridgePayForms(purchase: purchase, terminal: terminal, token: token),
            batch: BatchName(vendor: vendor, account: terminal.account ?? terminal.id),
            code: random.digits(6),
            reader: BridgePayReader(terminal),
            callbacks: random.fork("callbacks"),
            random: random
        )
        script.truly { $0.ids["invoice"] = .string(till.forms.invoice) }
        till.play(&script)
    }
}
