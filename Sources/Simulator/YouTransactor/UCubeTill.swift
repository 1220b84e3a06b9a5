import Canonical
import Payments

/// One payment at a uCube.
struct UCubeTill {
    let forms: UCubeForms
    let batch: BatchName
    let reader: UCubeReader
    /// A separate random source for the reports beside the outcome.
    var habits: SeededRandom
    var random: SeededRandom

    var purchase: Purchase { forms.purchase }

    private static let refusals = ["05", "51", "54", "57", "61"]

    private var kind: UCubeForms.Kind {
        switch purchase.intent {
        case .credit: .refund
        case .withdrawal: .withdrawal
        case .verification: .inquiry
        default: .purchase
        }
    }

    mutating func play(_ script: inout Script) {
        if let trouble = purchase.trouble { return play(trouble, &script) }
        request(forms.request(kind, at: script.deviceNow), &script)
        script.truly {
            if kind == .refund { $0.operation = .credit }
            if kind == .inquiry { $0.operation = .verification }
            $0.isCash = kind.sellsCash
        }
        script.wait(seconds: random.within(2...15))
        progress(&script, ["startTransaction"])
        if purchase.intent == .cancelled {
            script.truly { $0.end(.cancelled) }
            if habits.chance(percent: 50) {
                script.report("cancel", ["status": true, "state": "startTransaction"])
            }
            return finish(&script, .init(kind: kind, status: "cancelled", isRead: false))
        }
        if purchase.fault == .readerDisconnect {
            finish(&script, .init(kind: kind, status: "errorDisconnect", isRead: false))
            script.report(
                "Loggable.error",
                ["message": "connection lost", "functionName": "didDisconnect"]
            )
            script.report("ConnectionManager.disconnect", ["success": true, "device": reader.device])
            script.wait(seconds: random.within(10...60))
            script.report("ConnectionManager.connect", ["success": true, "device": reader.device])
            progress(&script, ["startTransaction"])
        }
        if purchase.card.entry == .contactless {
            progress(&script, ["nfcGetAuthorizationPlainTags", "authorization"])
        } else {
            readChip(&script)
        }
        switch purchase.fault {
        case .lostAnswer: return loseAnswer(&script, status: "errorDisconnect")
        case .powerLoss: return loseAnswer(&script, status: random.chance(percent: 50) ? "errorShuttingDown" : nil)
        case .hostApprovedTerminalDeclined: return denyApproval(&script)
        case .contradictoryVerdicts: return approveRefused(&script)
        case .partialApproval: return approvePart(&script)
        default: break
        }
        if purchase.intent == .declined {
            let code = random.pick(Self.refusals)
            script.truly { $0.end(.declined) }
            answer(&script, code)
            return finish(&script, .init(kind: kind, status: "declined", host: code, last: "00"))
        }
        script.truly { truth in
            switch kind {
            case .purchase, .withdrawal, .purchaseCashback, .manualCash: truth.sell(in: batch)
            case .refund: truth.credit(in: batch)
            case .inquiry: truth.end(.verified)
            }
        }
        answer(&script, "00")
        finish(&script, .init(kind: kind, status: "approved", host: "00", last: "40"))
    }

    /// The chip lists its applications, and the app may set risk management bits.
    mutating func readChip(_ script: inout Script) {
        let card = purchase.card
        if habits.chance(percent: 25) {
            let application: JSONValue = ["aid": .string(card.application), "label": .string(card.label)]
            let other: JSONValue = ["aid": "A0000000421010", "label": "CB"]
            script.report(
                "EMVApplicationSelectionTask",
                ["applications": [application, other], "candidates": [application], "event": "success"]
            )
        }
        progress(&script, ["smcInitTransaction"])
        if habits.chance(percent: 30) {
            script.report("RiskManagementTask", ["tvr": "0000008000", "event": "success"])
        }
        progress(&script, ["smcProcessTransaction", "authorization"])
    }

    // MARK: Failures

    /// The host's answer does not reach the terminal, which ends without it. An amount approved by the host stays held
    /// and is never captured.
    mutating func loseAnswer(_ script: inout Script, status: String?) {
        let isApproved = random.chance(percent: 65)
        script.truly { truth in
            if isApproved {
                truth.authorized = truth.requested
                truth.status = .authorized
            } else {
                truth.end(.declined)
            }
            truth.evidence = .missing
        }
        let time = script.deviceNow
        if let status { finish(&script, .init(kind: kind, status: status)) }
        guard random.chance(percent: 40) else { return }
        // The app receives its host's answer later.
        script.wait(seconds: random.within(20...1_800))
        script.truly { $0.evidence = .complete }
        var context = forms.context(.init(kind: kind, status: ""), at: time)
        context["paymentStatus"] = nil
        script.report(
            "AuthorizationTask",
            [
                "authorizationResponse": isApproved ? "8A023030" : "8A023035", "paymentContext": .object(context),
            ]
        )
    }

    /// The host approves, the terminal does not complete the payment, and the approval stays until it is reversed.
    mutating func denyApproval(_ script: inout Script) {
        script.truly {
            $0.authorized = $0.requested
            $0.status = .authorized
        }
        answer(&script, "00")
        let isDeclined = random.chance(percent: 50)
        finish(
            &script,
            .init(
                kind: kind,
                status: isDeclined ? "declined" : "errorDisconnect",
                host: "00",
                last: isDeclined ? "00" : nil
            )
        )
    }

    /// The host declines; the terminal reports an approval.
    mutating func approveRefused(_ script: inout Script) {
        script.truly { $0.end(.declined) }
        answer(&script, "05")
        finish(&script, .init(kind: kind, status: "approved", host: "05", last: "40"))
    }

    /// The host approves a part; the SDK cannot report the amount.
    mutating func approvePart(_ script: inout Script) {
        let part = max(1, purchase.basket.total * Int64(random.within(20...90)) / 100)
        script.truly {
            $0.sell(part, in: batch)
            $0.evidence = .missing
        }
        answer(&script, "10")
        finish(&script, .init(kind: kind, status: "approved", host: "10", last: "40"))
    }

    // MARK: Documents

    /// The app's `transactionDate` names its zone; the SDK prints no other time.
    func request(_ request: JSONObject, _ script: inout Script) {
        if let date = request["transactionDate"]?.string { script.prints(date) }
        script.report("UCubePaymentRequest", .object(request))
    }

    mutating func progress(_ script: inout Script, _ states: [String]) {
        for state in states {
            script.report("pay.didProgress", ["state": .string(state)])
            script.wait(seconds: random.within(1...6))
        }
    }

    func answer(_ script: inout Script, _ code: String) {
        script.report(
            "AuthorizationTask",
            ["authorizationResponse": .string("8A02\(UCubeForms.hexadecimal(code))")]
        )
        script.wait(seconds: 2)
    }

    mutating func finish(_ script: inout Script, _ ending: UCubeForms.Ending) {
        if ending.last != nil, purchase.card.entry != .contactless, habits.chance(percent: 50) {
            progress(&script, ["smcFinalizeTransaction", "smcRemoveCard"])
        }
        // The context prints the time of this report.
        script.truly { $0.forgetReports() }
        script.report(
            "pay.didFinish",
            [
                "success": .bool(ending.status == "approved"),
                "paymentContext": .object(forms.context(ending, at: script.deviceNow)),
            ]
        )
    }
}
