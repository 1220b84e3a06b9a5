import Canonical
import Matching
import Payments

/// One purchase over PayGuardian.
struct BridgePayTill {
    let forms: BridgePayForms
    let batch: BatchName
    /// The host's authorisation code.
    let code: String
    let reader: BridgePayReader
    /// A separate random source for the callbacks before an outcome.
    var callbacks: SeededRandom
    var random: SeededRandom

    var purchase: Purchase { forms.purchase }
    /// Whether the app sends the printed text of the objects.
    var prints: Bool { purchase.merchant.place % 2 == 1 }

    mutating func play(_ script: inout Script) {
        script.wait(seconds: random.within(6...40))
        if let trouble = purchase.trouble { return play(trouble, &script) }
        begin(&script)
        if purchase.intent == .cancelled { return giveUp(&script) }
        if purchase.fault == .readerDisconnect { loseReader(&script) }
        readCard(&script)
        switch purchase.fault {
        case .lostAnswer: return loseAnswer(&script)
        case .powerLoss: return losePower(&script)
        case .contradictoryVerdicts: return contradict(&script)
        case .hostApprovedTerminalDeclined:
            // The host approved and the chip declined; the gateway reverses the approval and reports only that.
            script.truly { $0.end(.declined) }
            report(&script, [.respondingToCard, .voiding])
            return tellPayment(&script, .chipDeclined, "SALE", "sale")
        default: break
        }
        switch purchase.intent {
        case .authorization, .openAuthorization, .voidedAuthorization: authorize(&script)
        case .credit: credit(&script)
        case .verification: verify(&script)
        default: sell(&script)
        }
    }

    // MARK: Payments

    mutating func sell(_ script: inout Script) {
        let total = purchase.basket.total
        let answer = BridgePayTestAmounts.sale(total)
        guard answer.isApproval else {
            script.truly { $0.end(.declined) }
            return tellPayment(&script, answer, "SALE", "sale")
        }
        let part = answer == .partlyApproved ? BridgePayTestAmounts.approvedPart(of: total) : total
        script.truly { $0.sell(part, in: batch) }
        tellPayment(&script, answer, "SALE", "sale", authorized: part)
        switch purchase.intent {
        case .tippedLater: adjustTip(&script)
        case .voided: void(&script, asRefund: random.chance(percent: 40), .voided)
        case .refunded: refund(&script, total)
        case .partlyRefunded: refund(&script, max(1, total * Int64(random.within(20...80)) / 100))
        default: break
        }
    }

    mutating func authorize(_ script: inout Script) {
        script.truly { $0.authorize() }
        tellPayment(&script, .approved, "SALE_AUTH", "auth", authorized: purchase.basket.total)
        switch purchase.intent {
        case .voidedAuthorization: void(&script, asRefund: false, .authorizationReversed)
        case .authorization: capture(&script)
        default: break
        }
    }

    /// The amount of a capture is in the request; the answer prints zero.
    mutating func capture(_ script: inout Script) {
        wait(600...5_400, &script)
        let authorized = purchase.basket.total
        let isPart = random.chance(percent: 15)
        let base = isPart ? max(1, authorized * Int64(random.within(50...95)) / 100) : authorized
        let tip = !isPart && purchase.merchant.takesTips ? max(1, base * Int64(random.within(10...20)) / 100) : 0
        script.truly { $0.capture(base + tip, tip: tip, in: batch) }
        let request = forms.request(
            "CAPTURE",
            amount: base + tip,
            tip: tip > 0 ? tip : nil,
            original: forms.gatewayID
        )
        report(&script, request, forms.followUpResponse(.approved, type: "019"), receipt: nil)
    }

    mutating func credit(_ script: inout Script) {
        script.truly { $0.credit(in: batch) }
        let total = purchase.basket.total
        tellPayment(&script, BridgePayTestAmounts.credit(total), "CREDIT", "credit", authorized: total)
    }

    mutating func verify(_ script: inout Script) {
        script.truly {
            $0.operation = .verification
            $0.end(.verified)
        }
        tellPayment(&script, .approved, "ACCOUNT_VERIFICATION", "verify")
    }

    // MARK: Follow-ups

    mutating func adjustTip(_ script: inout Script) {
        let isLate = purchase.fault == .tipAfterClose
        if isLate { script.wait(seconds: random.within(14...30) * 3_600) } else { wait(600...7_200, &script) }
        let base = purchase.basket.total
        let tip = max(1, base * Int64(random.within(10...22)) / 100)
        let request = forms.request("TIP_ADJUST", amount: nil, tip: tip, original: forms.gatewayID)
        guard !isLate else {
            // The host has closed the batch: it changes nothing and reports that.
            return report(&script, request, forms.followUpResponse(.notUpdated, type: "004"), receipt: nil)
        }
        script.truly { $0.adjust(tip: tip) }
        let posted = BridgePayTestAmounts.Answer(message: "A12", text: "Tip Adjustment Posted", result: "00000")
        var response = forms.followUpResponse(
            posted,
            type: "004",
            authorized: base + tip,
            original: base,
            code: random.digits(6)
        )
        response["gatewayMessage"] = "A12 \u{2013} Tip Adjustment Posted"
        report(&script, request, response, receipt: nil)
    }

    /// The gateway voids an unsettled payment, even if a refund was requested.
    mutating func void(_ script: inout Script, asRefund: Bool, _ answer: BridgePayTestAmounts.Answer) {
        script.wait(seconds: random.within(120...1_500))
        script.truly { $0.void() }
        let amount = purchase.basket.total
        let request = forms.request(asRefund ? "REFUND" : "VOID", amount: amount, original: forms.gatewayID)
        report(&script, request, forms.followUpResponse(answer, type: "012", authorized: amount), receipt: nil)
    }

    /// A day or more later, when the batch is settled; not if the simulation ends before.
    mutating func refund(_ script: inout Script, _ amount: Int64) {
        let time = script.now.adding(microseconds: Int64(random.within(26...70)) * 3_600_000_000)
        guard time < purchase.end else { return }
        script.wait(until: time)
        let refundID = purchase.hostID(3)
        script.truly {
            $0.refund(amount)
            $0.ids["refundTransaction"] = .string(refundID)
        }
        let isPart = amount < purchase.basket.total
        let response = forms.response(
            isPart ? .partlyRefunded : .credited,
            type: "012",
            description: "refund",
            authorized: amount,
            original: amount,
            code: random.digits(6),
            gatewayID: refundID,
            at: script.deviceNow
        )
        report(&script, forms.request("REFUND", amount: amount, original: forms.gatewayID), response, receipt: nil)
    }

    // MARK: Failures

    mutating func loseAnswer(_ script: inout Script) {
        let total = purchase.basket.total
        let answer = BridgePayTestAmounts.sale(total)
        let isForgotten = purchase.planted == .inDoubtResolved
        let isPosted = isForgotten || random.chance(percent: 65)
        if answer.isApproval {
            report(&script, [.finished])
            let error = forms.error(-1001, "The request timed out.", domain: "NSURLErrorDomain")
            tellError(&script, error, forms.request("SALE", amount: total))
        } else {
            tellPayment(&script, answer, "SALE", "sale")
        }
        leaveInDoubt(&script, isPosted: isPosted, foundPercent: isForgotten ? 0 : 50)
    }

    mutating func losePower(_ script: inout Script) {
        let isPosted = random.chance(percent: 50)
        // The app reports after it has restarted.
        script.wait(seconds: random.within(90...1_800))
        let request = forms.request("SALE", amount: purchase.basket.total)
        tellError(&script, forms.error("E1018", "Unable to process transaction."), request)
        leaveInDoubt(&script, isPosted: isPosted, foundPercent: 40)
    }

    /// The app may query the gateway later; then the outcome is known.
    mutating func leaveInDoubt(_ script: inout Script, isPosted: Bool, foundPercent: Int) {
        script.truly { truth in
            if isPosted { truth.sell(in: batch) } else { truth.end(.notPosted) }
            truth.evidence = .missing
        }
        guard random.chance(percent: foundPercent) else { return }
        wait(60...5_400, &script)
        script.truly { $0.evidence = .complete }
        let total = purchase.basket.total
        let request: JSONObject = [
            "username": "simulated", "password": .string(CardSecrets.password),
            "merchantCode": .string(purchase.merchant.codes.gateway),
            "merchantAccountCode": .string(purchase.merchant.codes.account), "invoiceNumber": .string(forms.invoice),
            "testMode": false,
        ]
        if isPosted { prints(&script) }
        let response =
            isPosted
            ? forms.response(
                .approved,
                type: "023",
                description: "find",
                authorized: total,
                original: total,
                code: code,
                at: script.deviceNow
            )
            : [
                "transactionID": .string(forms.invoice), "requestType": "023", "responseCode": "2",
                "responseDescription": "Transaction not found", "gatewayMessage": "(null)",
                "gatewayResult": "800011",
            ]
        script.report(
            "BPNPayment",
            [
                "BPNFindRequest": .object(request),
                "BridgeCommResponse": prints
                    ? .string(BridgePayPrintedText.payment(response, nil)) : .object(response),
            ]
        )
        if isPosted { noteIDs(&script) }
    }

    /// The reader reports a cancellation to the app; the gateway has approved.
    mutating func contradict(_ script: inout Script) {
        let total = purchase.basket.total
        script.truly { $0.sell(in: batch) }
        let isReaderFirst = random.chance(percent: 50)
        if isReaderFirst { fail(&script, code: "E1020", "Transaction cancelled.", "SALE") }
        tellPayment(&script, .approved, "SALE", "sale", authorized: total)
        if !isReaderFirst {
            script.wait(seconds: 2)
            fail(&script, code: "E1020", "Transaction cancelled.", "SALE")
        }
    }

    // MARK: Documents

    mutating func fail(_ script: inout Script, code: JSONValue, _ text: String, _ type: String) {
        tellError(&script, forms.error(code, text), forms.request(type, amount: purchase.basket.total))
    }

    mutating func tellError(_ script: inout Script, _ error: JSONObject, _ request: JSONObject) {
        var body = error
        if prints { body = ["NSError": .string(forms.printed(error))] }
        body["BPNPaymentRequest"] = .object(request)
        script.report("NSError", .object(body))
    }

    mutating func tellPayment(
        _ script: inout Script,
        _ answer: BridgePayTestAmounts.Answer,
        _ type: String,
        _ description: String,
        authorized: Int64 = 0
    ) {
        let total = purchase.basket.total
        let request = forms.request(
            type,
            amount: total,
            tip: purchase.basket.tip > 0 ? purchase.basket.tip : nil
        )
        let response = forms.response(
            answer,
            type: type == "ACCOUNT_VERIFICATION" ? "015" : "004",
            description: description,
            authorized: authorized,
            original: total,
            code: answer.isApproval ? code : "",
            at: script.deviceNow
        )
        prints(&script)
        noteIDs(&script)
        if purchase.card.entry == .chip, purchase.fault != .hostApprovedTerminalDeclined {
            report(&script, [.respondingToCard])
        }
        report(&script, [.finished])
        report(
            &script,
            request,
            response,
            receipt: answer.isApproval ? forms.receipt(total: authorized, code: code) : nil
        )
    }

    /// Some apps send the payment alone, others the complete callback.
    mutating func report(
        _ script: inout Script,
        _ request: JSONObject,
        _ response: JSONObject,
        receipt: JSONObject?
    ) {
        var payment: JSONObject = [
            "BPNPaymentRequest": .object(request), "BridgeCommResponse": .object(response),
        ]
        if let receipt { payment["BPNReceipt"] = .object(receipt) }
        let isCallback = random.chance(percent: 25)
        // A tip is in the request only.
        if purchase.trouble == .requestAbsent, purchase.basket.tip == 0 { return reportAlone(&script, payment) }
        if prints {
            tellPrinted(&script, request, response, receipt, isCallback: isCallback)
        } else if isCallback {
            script.report("runOnCompletion", ["payment": .object(payment), "error": .null])
        } else {
            script.report("BPNPayment", .object(payment))
        }
    }

    /// The local time in the answer.
    func prints(_ script: inout Script) {
        script.prints(String(forms.terminal.shown(script.deviceNow).rfc3339.prefix(19)))
    }

    /// Waits before a follow-up. An account that the app settles is closed an hour after the last payment.
    mutating func wait(_ seconds: ClosedRange<Int>, _ script: inout Script) {
        let pause = random.within(seconds)
        script.wait(seconds: forms.terminal.isSettledByAccount ? 120 + pause % 2_400 : pause)
    }

    func noteIDs(_ script: inout Script) {
        script.truly {
            $0.ids["gatewayTransaction"] = .string(forms.gatewayID)
            $0.ids["authorizationCode"] = .string(code)
        }
    }
}
