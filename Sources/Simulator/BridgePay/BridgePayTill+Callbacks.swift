import Canonical
import Payments

// What PayGuardian calls back on the way to an outcome, and its objects as they print themselves.
extension BridgePayTill {
    mutating func tell(_ script: inout Script, _ states: [BridgePayReader.State]) {
        for state in states {
            script.tell("onStateChanged", reader.state(state))
            script.wait(milliseconds: callbacks.within(300...2_400))
        }
    }

    /// The payment is set up. Some apps hand on what they ask for before it is answered.
    mutating func begin(_ script: inout Script) {
        if callbacks.chance(percent: 20) {
            let (type, basket) = (operation, purchase.basket)
            let request = forms.request(type, amount: basket.total, tip: basket.tip > 0 ? basket.tip : nil)
            script.tell("BPNPaymentRequest", .object(request))
        }
        tell(&script, [.notStarted, .waitingForCard])
        script.wait(seconds: callbacks.within(2...15))
    }

    /// What a payment of the customer's is called in requests.
    private var operation: String {
        switch purchase.intent {
        case .authorization, .openAuthorization, .voidedAuthorization: "SALE_AUTH"
        case .credit: "CREDIT"
        case .verification: "ACCOUNT_VERIFICATION"
        default: "SALE"
        }
    }

    /// The card is read, some at the second attempt; some apps look it up before they let the payment go on.
    mutating func readCard(_ script: inout Script) {
        switch purchase.card.entry {
        case .chip where callbacks.chance(percent: 6):
            tell(&script, [.chipCardSwiped, .waitingForCard])
            script.wait(seconds: callbacks.within(2...8))
        case .swipe where callbacks.chance(percent: 30): tell(&script, [.brokenChip])
        default: break
        }
        tell(&script, [.readingCard])
        if purchase.merchant.place % 2 == 0 {
            script.tell("onCardDataAvailable", reader.cardData(purchase.card))
            script.wait(milliseconds: callbacks.within(200...1_500))
            script.tell("resumeCardRead", reader.command)
        }
        tell(&script, [.waitingForGateway])
    }

    /// The customer goes, or the card cannot be read.
    mutating func giveUp(_ script: inout Script) {
        script.truly { $0.end(.cancelled) }
        let isCard = random.chance(percent: 50)
        if isCard { tell(&script, [.readingCard, .readError]) } else { script.tell("cancel", reader.command) }
        tell(&script, [.finished])
        fail(&script, code: isCard ? 6 : "E1020", isCard ? "Card failed to read" : "Transaction cancelled.", "SALE")
    }

    /// The reader is lost while it reads the card, and found again; the payment begins anew.
    mutating func loseReader(_ script: inout Script) {
        tell(&script, [.readingCard, .readError])
        script.tell("onReaderStateChanged", reader.changed(isConnected: false))
        tell(&script, [.finished])
        fail(&script, code: 6, "Card failed to read", "SALE")
        script.wait(seconds: random.within(15...90))
        script.tell("onReaderStateChanged", reader.changed(isConnected: true))
        tell(&script, [.waitingForCard])
        script.wait(seconds: callbacks.within(2...15))
    }

    // MARK: Printed

    /// A payment as it prints itself. Where the answer says by itself what was asked for, some apps hand on nothing else.
    mutating func tellPrinted(
        _ script: inout Script,
        _ request: JSONObject,
        _ response: JSONObject,
        _ receipt: JSONObject?,
        isCallback: Bool
    ) {
        let text: JSONValue = .string(BridgePayPrintedText.payment(response, receipt))
        let isAnswerAlone = callbacks.chance(percent: 50)
        let description = response["responseTypeDescription"]?.string ?? ""
        if isCallback {
            script.tell("runOnCompletion", ["payment": text, "error": .null, "request": .object(request)])
        } else if isAnswerAlone, ["sale", "auth"].contains(description), request["tipAmount"] == nil {
            script.tell("BPNPayment", text)
        } else if isAnswerAlone, response["gatewayMessage"]?.string?.hasPrefix("A12") == true {
            script.tell("BridgeCommResponse", .string(BridgePayPrintedText.properties(response)))
        } else {
            script.tell("BPNPayment", ["BPNPayment": text, "BPNPaymentRequest": .object(request)])
        }
        guard let receipt, purchase.card.entry == .swipe else { return }
        // The slip that is signed.
        script.tell("BPNReceipt", .string(BridgePayPrintedText.receipt(receipt)))
    }
}

extension BridgePayForms {
    /// An error as it prints itself.
    func printed(_ error: JSONObject) -> String {
        let code = error["code"].map { $0.string ?? $0.text } ?? ""
        return BridgePayPrintedText.error(
            domain: error["domain"]?.string ?? "",
            code: code,
            error["userInfo"]?["NSLocalizedDescription"]?.string ?? ""
        )
    }
}
