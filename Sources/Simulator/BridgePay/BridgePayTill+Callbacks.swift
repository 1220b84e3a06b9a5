import Canonical
import Payments

// PayGuardian's callbacks before an outcome, and the printed text of its objects.
extension BridgePayTill {
    mutating func report(_ script: inout Script, _ states: [BridgePayReader.State]) {
        for state in states {
            script.report("onStateChanged", reader.state(state))
            script.wait(milliseconds: callbacks.within(300...2_400))
        }
    }

    /// The payment is set up. Some apps send their request before it is answered.
    mutating func begin(_ script: inout Script) {
        if callbacks.chance(percent: 20) {
            let (type, basket) = (operation, purchase.basket)
            let request = forms.request(type, amount: basket.total, tip: basket.tip > 0 ? basket.tip : nil)
            script.report("BPNPaymentRequest", .object(request))
        }
        report(&script, [.notStarted, .waitingForCard])
        script.wait(seconds: callbacks.within(2...15))
    }

    /// The request's transaction type for a customer's payment.
    private var operation: String {
        switch purchase.intent {
        case .authorization, .openAuthorization, .voidedAuthorization: "SALE_AUTH"
        case .credit: "CREDIT"
        case .verification: "ACCOUNT_VERIFICATION"
        default: "SALE"
        }
    }

    /// The card is read, sometimes at the second attempt. Some apps look up its issuer before the payment continues.
    mutating func readCard(_ script: inout Script) {
        switch purchase.card.entry {
        case .chip where callbacks.chance(percent: 6):
            report(&script, [.chipCardSwiped, .waitingForCard])
            script.wait(seconds: callbacks.within(2...8))
        case .swipe where callbacks.chance(percent: 30): report(&script, [.brokenChip])
        default: break
        }
        report(&script, [.readingCard])
        if purchase.merchant.place % 2 == 0 {
            script.report("onCardDataAvailable", reader.cardData(purchase.card))
            script.wait(milliseconds: callbacks.within(200...1_500))
            script.report("resumeCardRead", reader.command)
        }
        report(&script, [.waitingForGateway])
    }

    /// The customer cancels, or the card cannot be read.
    mutating func giveUp(_ script: inout Script) {
        script.truly { $0.end(.cancelled) }
        let isCard = random.chance(percent: 50)
        if isCard { report(&script, [.readingCard, .readError]) } else { script.report("cancel", reader.command) }
        report(&script, [.finished])
        fail(&script, code: isCard ? 6 : "E1020", isCard ? "Card failed to read" : "Transaction cancelled.", "SALE")
    }

    /// The reader is disconnected while it reads the card and connected again; the payment starts again.
    mutating func loseReader(_ script: inout Script) {
        report(&script, [.readingCard, .readError])
        script.report("onReaderStateChanged", reader.changed(isConnected: false))
        report(&script, [.finished])
        fail(&script, code: 6, "Card failed to read", "SALE")
        script.wait(seconds: random.within(15...90))
        script.report("onReaderStateChanged", reader.changed(isConnected: true))
        report(&script, [.waitingForCard])
        script.wait(seconds: callbacks.within(2...15))
    }

    // MARK: Printed

    /// The printed text of a payment. If the answer shows the operation, some apps send the answer alone.
    mutating func tellPrinted(
        _ script: inout Script,
        _ request: JSONObject,
        _ response: JSONObject,
        _ receipt: JSONObject?,
        isCallback: Bool
    ) {
        let text: JSONValue = .string(BridgePayPrintedText.payment(response, receipt))
        // The request alone says that it is a test.
        let isAnswerAlone = callbacks.chance(percent: 50) && purchase.trouble != .testMode
        let description = response["responseTypeDescription"]?.string ?? ""
        if isCallback {
            script.report("runOnCompletion", ["payment": text, "error": .null, "request": .object(request)])
        } else if isAnswerAlone, ["sale", "auth"].contains(description), request["tipAmount"] == nil {
            script.report("BPNPayment", text)
        } else if isAnswerAlone, response["gatewayMessage"]?.string?.hasPrefix("A12") == true {
            script.report("BridgeCommResponse", .string(BridgePayPrintedText.properties(response)))
        } else {
            script.report("BPNPayment", ["BPNPayment": text, "BPNPaymentRequest": .object(request)])
        }
        guard let receipt, purchase.card.entry == .swipe else { return }
        // The slip to be signed.
        script.report("BPNReceipt", .string(BridgePayPrintedText.receipt(receipt)))
    }
}

extension BridgePayForms {
    /// The printed text of an error.
    func printed(_ error: JSONObject) -> String {
        let code = error["code"].map { $0.string ?? $0.text } ?? ""
        return BridgePayPrintedText.error(
            domain: error["domain"]?.string ?? "",
            code: code,
            error["userInfo"]?["NSLocalizedDescription"]?.string ?? ""
        )
    }
}
