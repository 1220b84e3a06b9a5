import Canonical
import Matching
import Payments

/// iPOSgo over deep linking. Most merchants have version 2, some still have version 1; some apps of the latter send its
/// answers as printed text.
struct DejavooSDK: VirtualSDK {
    var vendor: Vendor { .dejavoo }
    /// Deep linking works only on devices in the United States.
    var currencies: [Currency] { [.usd] }
    var faults: [Fault] {
        [
            .lostAnswer, .readerDisconnect, .contradictoryVerdicts, .powerLoss, .partialApproval,
            .hostApprovedTerminalDeclined,
        ]
    }

    var troubles: [Trouble] { [.wrongReference, .ticketParts, .codeTables] }
    var plantable: [ExceptionClass] { [.expiredAuthorization, .inDoubtResolved, .duplicateInLedger] }

    func intents(at merchant: Merchant) -> [(Intent, weight: Int)] {
        [
            (.sale, weight: 70), (.authorization, weight: 8), (.openAuthorization, weight: 1), (.voided, weight: 5),
            (.credit, weight: 4), (.voidedCredit, weight: 1), (.declined, weight: 7), (.cancelled, weight: 2),
        ]
    }

    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        var basket = plainBasket(intent, at: merchant, &random)
        guard intent == .sale, fault != .partialApproval else {
            basket.tip = 0
            return basket
        }
        // Taxes and fees are part of the terminal's profile and are added to the amount.
        if merchant.trade == .restaurant || merchant.trade == .fashion { basket.tax = basket.base * 8 / 100 }
        if merchant.trade == .kiosk { basket.fee = 40 }
        return basket
    }

    /// A terminal is registered once.
    func open(
        _ terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        if Self.isLegacy(terminal), random.chance(percent: 20) {
            script.report("CustomErrorMessage", "Device Supports Tap to Pay")
        }
        guard terminal.counter == 0 else { return }
        if Self.isLegacy(terminal) {
            let request: JSONValue = ["tpn": .string(terminal.id), "applicationType": "IPosGo!"]
            return script.report("makeARequestBasedOnTPN", request)
        }
        let request: JSONValue = [
            "tpn": .string(terminal.id), "merchantCode": .string(CardSecrets.merchantCode),
        ]
        script.report("RegisterData", request)
        script.wait(seconds: random.within(3...20))
        script.report(
            "didReceive_TransactionResponse",
            [
                "request": request,
                "transactionData": [
                    "TPN": .string(terminal.id),
                    "TimeStamp": .string(terminal.shown(script.deviceNow).compactText),
                    "TXN Ref No": .string(random.digits(12)),
                ],
            ]
        )
    }

    /// Version 1 only answers transactions.
    func closesBatches(of terminal: VirtualTerminal) -> Bool { !Self.isLegacy(terminal) }

    static func isLegacy(_ terminal: VirtualTerminal) -> Bool { terminal.merchantPlace % 4 == 1 }

    static func prints(_ terminal: VirtualTerminal) -> Bool { isLegacy(terminal) && terminal.place % 2 == 0 }

    /// Some apps first request the totals over SPIn.
    func close(
        _ terminal: VirtualTerminal,
        _ totals: BatchTotals,
        isRefused: Bool,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        if random.chance(percent: 30) { script.report("SummaryReport", DejavooForms.summary(totals)) }
        if random.chance(percent: 50) { script.report("startBatchSettlement", [:]) }
        let body = DejavooForms.settlement(
            terminal,
            isRefused: isRefused,
            number: random.within(100_000...999_999),
            at: script.deviceNow
        )
        script.report(random.chance(percent: 50) ? "BatchSettlement" : "didReceiveV2Response", body)
        // It names the TPN, which the app does not.
        if terminal.name != terminal.id { script.unname() }
    }

    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        let letters = Array("ABCDEFGHJKLMNPQRSTUVWXYZ")
        let code = String((0..<3).map { _ in random.pick(letters) }) + random.digits(3)
        let invoice = terminal.count()
        var till = till(purchase, terminal, invoice: invoice, code: code, &random)
        till.play(&script)
    }

    /// The answer with a second id of the terminal, which is made from the time; the host's number is the same.
    func playAgain(
        _ purchase: Purchase,
        after first: PaymentTruth,
        on terminal: VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {
        let code = first.id("authorizationCode") ?? ""
        var till = till(purchase, terminal, invoice: terminal.counter, code: code, &random)
        till.tellAgain(&script)
    }

    private func till(
        _ purchase: Purchase,
        _ terminal: VirtualTerminal,
        invoice: Int,
        code: String,
        _ random: inout SeededRandom
    ) -> DejavooTill {
        DejavooTill(
            forms: DejavooForms(
                purchase: purchase,
                terminal: terminal,
                invoice: invoice,
                code: code,
                token: random.hexadecimal(64)
            ),
            batch: BatchName(vendor: vendor, account: terminal.id, number: "\(terminal.batch)"),
            isLegacy: Self.isLegacy(terminal),
            prints: Self.prints(terminal),
            habits: random.fork("habits"),
            random: random
        )
    }
}
