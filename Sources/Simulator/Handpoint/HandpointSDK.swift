import Canonical
import Payments

/// The Heft SDK with readers that behave like its simulator.
struct HandpointSDK: VirtualSDK {
    var vendor: Vendor { .handpoint }
    var currencies: [Currency] { [.gbp, .eur] }
    var faults: [Fault] {
        [
            .lostAnswer, .readerDisconnect, .contradictoryVerdicts, .powerLoss, .partialApproval,
            .hostApprovedTerminalDeclined,
        ]
    }

    var troubles: [Trouble] {
        [.wrongReference, .signatureRace, .cancelRace, .recoveredLater, .codeTables]
    }

    func intents(at merchant: Merchant) -> [(Intent, weight: Int)] {
        [
            (.sale, weight: 76), (.voided, weight: 6), (.credit, weight: 4), (.voidedCredit, weight: 1),
            (.declined, weight: 8), (.cancelled, weight: 3),
        ]
    }

    /// The simulator decides by the requested amount; a tip is added at the reader.
    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        if fault == .lostAnswer {
            let amount = random.pick([
                (random.within(8_000...8_099), weight: 4), (random.within(9_001...9_005), weight: 4),
                (random.within(8_100...8_999), weight: 4),
            ])
            return Basket(base: Int64(amount))
        }
        switch intent {
        case .declined: return Basket(base: 1000)
        case .cancelled: return Basket(base: 2000)
        case .sale where fault == nil && random.chance(percent: 3): return Basket(base: 3000)
        default:
            var basket = plainBasket(intent, at: merchant, &random)
            if HandpointSimulatedAmounts.behaviour(basket.base) != .approved { basket.base += 1 }
            if fault != nil { basket.tip = 0 }
            return basket
        }
    }

    func open(_ terminal: inout VirtualTerminal, into script: inout Script, _ random: inout SeededRandom) {
        HandpointReader(terminal: terminal).open(into: &script, &random)
    }

    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        let number = terminal.count()
        var till = HandpointTill(
            forms: HandpointForms(
                purchase: purchase,
                terminal: terminal,
                reference: HandpointTill.reference(&random),
                code: random.digits(5),
                number: 9_000 + number
            ),
            batch: BatchName(vendor: vendor, account: terminal.id),
            reader: HandpointReader(terminal: terminal),
            unclaimed: terminal.unclaimed,
            habits: random.fork("habits"),
            random: random
        )
        till.play(&script)
        terminal.unclaimed = till.unclaimed
    }
}
