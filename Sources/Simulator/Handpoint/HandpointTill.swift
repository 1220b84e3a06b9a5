import Canonical
import Payments

/// One purchase at a Handpoint reader.
struct HandpointTill {
    let forms: HandpointForms
    let batch: BatchName
    let reader: HandpointReader
    /// The result of an earlier payment that the reader delivers with this one.
    var unclaimed: JSONValue?
    /// A separate random source for the reports beside the outcome.
    var habits: SeededRandom
    var random: SeededRandom

    var purchase: Purchase { forms.purchase }
    /// The amount that the app requests; the tip is the cardholder's.
    var asked: Int64 { purchase.basket.base }

    /// An EFT reference in the gateway's form.
    static func reference(_ random: inout SeededRandom) -> String { random.uuid() }

    mutating func play(_ script: inout Script) {
        // Some merchants have their own customer cards.
        if purchase.merchant.place % 3 == 0, habits.chance(percent: 25) {
            reader.scan("29\(habits.digits(11))", into: &script)
        }
        if purchase.intent == .credit || purchase.intent == .voidedCredit { return credit(&script) }
        if let trouble = purchase.trouble { return play(trouble, &script) }
        script.report("saleWithAmount", .object(forms.request(asked)))
        deliverUnclaimed(&script)
        progress(&script)
        switch purchase.fault {
        case .readerDisconnect:
            script.report("didLostAccessoryDevice", ["oldDevice": device])
            script.wait(seconds: 3)
            script.report("responseError", forms.error(.cardReadingFailed, asked))
            script.wait(seconds: random.within(15...60))
            script.report("didFindAccessoryDevice", ["newDevice": device])
            return sell(&script)
        case .contradictoryVerdicts:
            script.report("responseError", forms.error(.userCancelled, asked))
            script.wait(seconds: random.within(1...15))
            return sell(&script)
        case .powerLoss: return losePower(&script)
        case .hostApprovedTerminalDeclined: return cancelByCard(&script)
        case .partialApproval: return sellInPart(&script)
        default: break
        }
        switch HandpointSimulatedAmounts.behaviour(asked) {
        case .approved: sell(&script)
        case .signature:
            script.report("requestSignature", ["receipt": .string(forms.receipt(approval, at: script.deviceNow))])
            script.wait(seconds: random.within(4...30))
            sign(&script)
        case .declined:
            script.truly { $0.end(.declined) }
            finish(&script, ending("DECLINED", 2, "DECLINED"))
        case .cancelled:
            script.truly { $0.end(.cancelled) }
            if habits.chance(percent: 50) { script.report("cancel", [:]) }
            // The simulator reports the cancellation in the status and a decline in the message.
            finish(&script, ending("CANCELLED", 18, "DECLINED"))
        case .lostApproval: loseAnswer(&script, isAuthorised: true)
        case .lostDecline: loseAnswer(&script, isAuthorised: false)
        }
    }

    var device: JSONValue { reader.device }

    mutating func progress(_ script: inout Script) {
        script.wait(seconds: random.within(1...4))
        script.report("responseStatus", forms.status(.waitingCard))
        script.wait(seconds: random.within(3...25))
        if purchase.card.entry == .chip {
            script.report("responseStatus", forms.status(.pinInput))
            script.wait(seconds: random.within(4...15))
        }
        script.report("responseStatus", forms.status(random.chance(percent: 50) ? .sending : .receiving))
        script.wait(seconds: random.within(2...6))
    }

    // MARK: Endings

    func ending(_ financial: String, _ result: Int64, _ message: String) -> HandpointForms.Ending {
        HandpointForms.Ending(
            financial: financial,
            result: result,
            message: message,
            requested: asked,
            total: purchase.basket.total,
            tip: purchase.basket.tip
        )
    }

    var approval: HandpointForms.Ending {
        var ending = ending("AUTHORISED", 1, "AUTH CODE \(forms.code)")
        ending.reference = forms.reference
        return ending
    }

    func finish(
        _ script: inout Script,
        _ ending: HandpointForms.Ending,
        as kind: String = "responseFinanceStatus"
    ) {
        script.prints(String(forms.terminal.shown(script.deviceNow).rfc3339.prefix(19)))
        script.truly {
            guard let reference = ending.reference, ending.original == nil else { return }
            $0.ids["gatewayTransaction"] = .string(reference)
            if ending.isAuthorised { $0.ids["authorizationCode"] = .string(forms.code) }
        }
        script.report(kind, forms.finance(ending, at: script.deviceNow))
    }

    mutating func sell(_ script: inout Script) {
        script.truly { $0.sell(in: batch) }
        finish(&script, approval)
        if purchase.intent == .voided { void(&script, "saleVoidWithAmount", "VOID_SALE") }
    }

    /// The cashier compares the signatures and has 45 seconds for it.
    mutating func sign(_ script: inout Script) {
        guard habits.chance(percent: 25) else {
            script.report("acceptSignature", ["flag": true])
            return sell(&script)
        }
        if habits.chance(percent: 60) {
            script.report("acceptSignature", ["flag": false])
        } else {
            script.wait(seconds: 45)
            script.report("cancelSignature", [:])
        }
        script.wait(seconds: 2)
        script.truly { $0.end(.cancelled) }
        var ending = ending("FAILED", 4, "TRANSACTION VOID")
        ending.status = .invalidSignature
        finish(&script, ending)
    }

    mutating func sellInPart(_ script: inout Script) {
        let part = max(1, asked * Int64(random.within(20...90)) / 100)
        script.truly { $0.sell(part, in: batch) }
        var ending = approval
        ending.financial = "PARTIAL_APPROVAL"
        ending.result = 6
        ending.approved = part
        finish(&script, ending)
    }

    mutating func credit(_ script: inout Script) {
        script.report("refundWithAmount", .object(forms.request(asked)))
        progress(&script)
        script.truly { $0.credit(in: batch) }
        var ending = approval
        ending.type = "REFUND"
        ending.message = "REFUND ACCEPTED"
        finish(&script, ending)
        if purchase.intent == .voidedCredit { void(&script, "refundVoidWithAmount", "VOID_REFUND") }
    }

    mutating func void(_ script: inout Script, _ command: String, _ type: String) {
        script.wait(seconds: random.within(60...1_500))
        script.report(command, forms.voidRequest(purchase.basket.total))
        script.wait(seconds: random.within(5...25))
        script.truly { $0.void() }
        reverse(&script, type)
    }

    mutating func reverse(_ script: inout Script, _ type: String) {
        var ending = approval
        ending.type = type
        ending.message = "REVERSAL ACCEPTED"
        ending.reference = Self.reference(&random)
        ending.original = forms.reference
        finish(&script, ending)
    }

    // MARK: Failures

    mutating func loseAnswer(_ script: inout Script, isAuthorised: Bool) {
        script.report("responseError", forms.error(.responseTimeout, asked))
        leaveInDoubt(&script, isAuthorised: isAuthorised)
    }

    /// The reader loses power after the app was informed that the request is being sent; it still has the result when
    /// it is back.
    mutating func losePower(_ script: inout Script) {
        let isAuthorised = random.chance(percent: 60)
        leaveInDoubt(&script, isAuthorised: isAuthorised)
    }

    /// The app may retrieve the result that the reader stored.
    mutating func leaveInDoubt(_ script: inout Script, isAuthorised: Bool) {
        script.truly { truth in
            if isAuthorised { truth.sell(in: batch) } else { truth.end(.declined) }
            truth.evidence = .missing
        }
        guard random.chance(percent: 50) else { return }
        script.wait(seconds: random.within(30...1_800))
        script.report("retrievePendingTransaction", [:])
        script.wait(seconds: 2)
        script.truly { $0.evidence = .complete }
        var ending = isAuthorised ? approval : ending("DECLINED", 2, "DECLINED")
        ending.reference = forms.reference
        ending.isRecovered = true
        // Later versions have a separate callback for it.
        finish(
            &script,
            ending,
            as: habits.chance(percent: 50)
                ? "responseRecoveredTransactionStatus" : "responseFinanceStatus"
        )
    }

    /// The host approved, and the chip rejects the approval; the reader reverses the sale if it can reach the host.
    mutating func cancelByCard(_ script: inout Script) {
        script.truly {
            $0.end(.reversed)
            $0.evidence = .missing
        }
        var ending = approval
        ending.status = .cardCancelled
        ending.message = "TRANSACTION VOID"
        finish(&script, ending)
        guard random.chance(percent: 60) else { return }
        script.wait(seconds: random.within(2...20))
        script.truly { $0.evidence = .complete }
        reverse(&script, "CANCEL_SALE")
    }
}
