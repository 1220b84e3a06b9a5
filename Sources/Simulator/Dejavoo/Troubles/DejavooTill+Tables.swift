import Canonical
import Payments

// The next value of each table of the guide.
extension DejavooTill {
    mutating func playTables(_ script: inout Script) {
        let turn = purchase.turn
        let count = DejavooTables.reader.count
        reportBeside(turn, &script)
        let isSale = turn % (count + 6) >= count || isLegacy && turn % 2 == 1
        if !isSale { return failAtReader(DejavooTables.reader[turn % (count + 6)], &script) }
        if isLegacy {
            let type = DejavooTables.legacyTypes[turn / 2 % 2]
            script.report(
                "makeARequestBasedOnTransactionTypes",
                ["type": .string(type), "amount": .string(Money(purchase.basket.base, .usd).decimalText)]
            )
            script.wait(seconds: 9)
            return sell(&script)
        }
        // Every sixth answer is that of a refund, whose label is in small letters.
        forms.variant = DejavooTables.variants[turn % 3]
        if turn % (count + 6) == count + 5 {
            forms.variant?.label = "refund"
            forms.variant?.request = "REFUND"
            script.wait(seconds: 9)
            credit(&script)
        } else {
            script.wait(seconds: 9)
            sell(&script)
        }
    }

    /// Messages about no payment.
    private func reportBeside(_ turn: Int, _ script: inout Script) {
        let session = DejavooTables.session[turn % DejavooTables.session.count]
        script.report("PaymentSessionError", ["case": .string(session)], isOfPayment: false)
        let message = DejavooTables.messages[turn % DejavooTables.messages.count]
        script.report("CustomErrorMessage", ["case": .string(message)], isOfPayment: false)
        guard isLegacy else { return }
        let type = DejavooTables.legacyBatches[turn % DejavooTables.legacyBatches.count]
        let request: JSONValue = ["type": .string(type), "amount": ""]
        script.report("makeARequestBasedOnTransactionTypes", request, isOfPayment: false)
    }

    private mutating func failAtReader(
        _ error: (name: String, meaning: CodeMeaning),
        _ script: inout Script
    ) {
        if isLegacy {
            script.report("makeARequestBasedOnTransactionTypes", forms.legacyRequest(.sale, purchase.basket))
        } else {
            script.report("TxnData", .object(forms.request(.sale, purchase.basket)))
        }
        script.wait(seconds: random.within(4...20))
        script.truly { error.meaning.apply(to: &$0, isPosted: false, in: batch) }
        script.report("CardReaderSessionError", ["case": .string(error.name)])
    }
}
