import Canonical
import Matching
import Payments

/// One purchase over iPOSgo.
struct DejavooTill {
    var forms: DejavooForms
    let batch: BatchName
    let isLegacy: Bool
    /// Whether the app sends version 1's answers as printed text.
    let prints: Bool
    /// A separate random source for the reports beside the outcome.
    var habits: SeededRandom
    var random: SeededRandom

    var purchase: Purchase { forms.purchase }
    var approval: DejavooForms.Answer { .init(code: "00", message: "APPROVAL \(forms.code)") }

    /// The host's declines.
    private static let declines: [DejavooForms.Answer] = [
        .init(code: "05", message: "DECLINED", result: "1"), .init(code: "51", message: "NSF DECLINE", result: "1"),
        .init(code: "14", message: "CARD NO. ERROR", result: "1"),
        .init(code: "54", message: "EXPIRED CARD", result: "1"),
        .init(code: "61", message: "EXCEEDS LIMIT", result: "1"), .init(code: "41", message: "LOST CARD", result: "1"),
        .init(code: "R02", message: "DECLINED BY RISK RULE", result: "1"),
    ]

    mutating func play(_ script: inout Script) {
        note(purchase.basket, &script)
        if let trouble = purchase.trouble { return play(trouble, &script) }
        ask(&script)
        script.wait(seconds: random.within(5...30))
        switch purchase.fault {
        case .lostAnswer: return loseAnswer(&script)
        case .powerLoss: return losePower(&script)
        case .contradictoryVerdicts: return contradict(&script)
        case .hostApprovedTerminalDeclined: return denyApproval(&script)
        case .readerDisconnect:
            failLocally(&script, "The reader was unable to read a card")
            script.wait(seconds: random.within(10...60))
        default: break
        }
        switch purchase.intent {
        case .authorization, .openAuthorization: authorize(&script)
        case .credit, .voidedCredit: credit(&script)
        case .declined:
            script.truly { $0.end(.declined) }
            report(&script, .sale, random.pick(Self.declines))
        case .cancelled:
            script.truly { $0.end(.cancelled) }
            report(&script, .sale, .init(code: "17", message: "CUSTOMER CANCELLATION", result: "1"))
        default: sell(&script)
        }
    }

    /// The app sends an earlier answer again.
    mutating func tellAgain(_ script: inout Script) {
        note(purchase.basket, &script)
        script.truly { $0.sell(in: batch) }
        report(&script, .sale, approval)
    }

    /// What every answer prints of a capture: the tender, and the parts of the amount.
    func note(_ basket: Basket, _ script: inout Script) {
        script.truly {
            $0.tender = purchase.card.isDebit ? "debit" : "credit"
            $0.taxes = isLegacy ? forms.legacyTaxes(of: basket) : forms.taxes(of: basket)
            $0.surcharge = basket.fee
        }
    }

    // MARK: Payments

    mutating func sell(_ script: inout Script) {
        if purchase.fault == .partialApproval {
            let part = max(1, purchase.basket.total * Int64(random.within(20...90)) / 100)
            script.truly { $0.sell(part, in: batch) }
            let partial = DejavooForms.Answer(code: "10", message: "PARTIAL APPROVAL")
            return report(&script, .sale, partial, Basket(base: part))
        }
        script.truly { $0.sell(in: batch) }
        report(&script, .sale, approval)
        if purchase.intent == .voided { void(&script) }
    }

    mutating func authorize(_ script: inout Script) {
        script.truly { $0.authorize() }
        report(&script, .authorization, approval)
        guard purchase.intent == .authorization else { return }
        script.wait(seconds: random.within(600...3_000))
        let base = purchase.basket.base
        let tip = purchase.merchant.takesTips ? max(1, base * Int64(random.within(10...20)) / 100) : 0
        ask(&script, .ticket, Basket(base: base, tip: tip))
        script.truly { $0.capture(base + tip, tip: tip, in: batch) }
        report(&script, .ticket, approval, Basket(base: base, tip: tip))
    }

    mutating func credit(_ script: inout Script) {
        script.truly { $0.credit(in: batch) }
        report(&script, .refund, approval)
        if purchase.intent == .voidedCredit { void(&script) }
    }

    mutating func void(_ script: inout Script) {
        script.wait(seconds: random.within(60...1_500))
        ask(&script, .void, nil)
        script.truly { $0.void() }
        report(&script, .void, approval)
    }

    // MARK: Failures

    mutating func loseAnswer(_ script: inout Script) {
        let isForgotten = purchase.planted == .inDoubtResolved
        let isPosted = isForgotten || random.chance(percent: 65)
        script.truly { truth in
            if isPosted { truth.sell(in: batch) } else { truth.end(.notPosted) }
            truth.evidence = .missing
        }
        let time = script.deviceNow
        let silence = random.pick([
            DejavooForms.Answer(code: "91", message: "HOST NO RESPONSE", result: "2"),
            DejavooForms.Answer(code: "28", message: "NO REPLY", result: "2"),
        ])
        report(&script, .sale, silence, at: time)
        guard isPosted, !isForgotten, random.chance(percent: 50) else { return }
        // The app queries again later that day and receives the lost answer.
        script.wait(seconds: random.within(60...1_500))
        script.truly { $0.evidence = .complete }
        report(&script, .sale, approval, at: time)
    }

    mutating func losePower(_ script: inout Script) {
        let isPosted = random.chance(percent: 50)
        script.truly { truth in
            if isPosted { truth.sell(in: batch) } else { truth.end(.notPosted) }
            truth.evidence = .missing
        }
        let time = script.deviceNow
        script.wait(seconds: random.within(60...1_200))
        report(&script, .sale, .init(code: "68", message: "NO REPLY", result: "2"), at: time)
    }

    /// The app first reports a failure, then the host's approval.
    mutating func contradict(_ script: inout Script) {
        script.truly { $0.sell(in: batch) }
        let time = script.deviceNow
        failLocally(&script, "Reader service internal state issue occurred.")
        script.wait(seconds: random.within(2...20))
        report(&script, .sale, approval, at: time)
    }

    /// The host approved and the terminal reports a failure: the host reverses the approval, and the app is not
    /// informed.
    mutating func denyApproval(_ script: inout Script) {
        script.truly {
            $0.end(.reversed)
            $0.evidence = .missing
        }
        // Version 1 has no result of the terminal beside the host's: its answer reports no reply of the host.
        let answer = DejavooForms.Answer(code: "00", message: approval.message, result: "1")
        report(&script, .sale, isLegacy ? .init(code: "91", message: "HOST NO RESPONSE") : answer)
    }

    // MARK: Requests

    /// Some apps send their request to iPOSgo, and the link that opens it.
    mutating func ask(_ script: inout Script) {
        let kind: DejavooForms.Kind =
            switch purchase.intent {
            case .authorization, .openAuthorization: .authorization
            case .credit, .voidedCredit: .refund
            default: .sale
            }
        ask(&script, kind, purchase.basket)
    }

    /// - Parameter basket: Nil for a void.
    mutating func ask(_ script: inout Script, _ kind: DejavooForms.Kind, _ basket: Basket?) {
        guard habits.chance(percent: 25) else { return }
        if isLegacy {
            let request = forms.legacyRequest(kind, basket ?? purchase.basket)
            script.report("makeARequestBasedOnTransactionTypes", request)
            script.report("didReceiveResponse", DejavooForms.link)
        } else {
            let names: [DejavooForms.Kind: String] = [.ticket: "TicketTxnData", .void: "VoidTxnData"]
            script.report(names[kind] ?? "TxnData", .object(forms.request(kind, basket)))
            script.report("didReceiveV2Response", DejavooForms.link)
        }
        script.wait(seconds: 1)
    }

    // MARK: Documents

    /// The app stops before the host is contacted. Version 2 reports this with a separate callback.
    mutating func failLocally(_ script: inout Script, _ text: String) {
        guard !isLegacy else { return report(&script, .sale, .init(code: "", message: text, result: "1")) }
        script.report("didReceiveRespV2Error", forms.error(text))
    }

    mutating func report(
        _ script: inout Script,
        _ kind: DejavooForms.Kind,
        _ answer: DejavooForms.Answer,
        _ basket: Basket? = nil,
        at time: Timestamp? = nil
    ) {
        let time = time ?? script.deviceNow
        let reported = basket ?? purchase.basket
        if !answer.isLocal || isLegacy { script.prints(String(forms.terminal.shown(time).rfc3339.prefix(19))) }
        script.truly {
            guard kind != .void, !answer.isLocal else { return }
            // The ticket is a separate transaction at the vendor, and its money is reported under that.
            guard kind != .ticket else {
                $0.ids["captureTransaction"] = .string(forms.transaction(kind, at: time))
                return
            }
            $0.ids["authorizationCode"] = answer.isApproval ? .string(forms.code) : nil
            $0.ids["retrievalReference"] = .string(forms.retrieval)
            $0.ids["vendorTransaction"] = .string(forms.transaction(kind, at: time))
        }
        if isLegacy {
            let body = forms.legacy(kind, answer, reported, at: time)
            script.report("didReceiveResponse", prints ? print(kind, body, at: time) : .object(body), happenedAt: time)
        } else {
            let asked = kind == .void ? nil : kind == .ticket ? reported : purchase.basket
            let body: JSONValue = .object(forms.spin(kind, answer, reported, asked: asked, at: time))
            if random.chance(percent: 20) {
                script.report("didReceiveV2Response", body, happenedAt: time)
            } else if habits.chance(percent: 15) {
                // Sent as received: a text that contains JSON.
                script.report("didReceive_TransactionResponse", .string(body.text), happenedAt: time)
            } else {
                script.report("Spin_Response", body, happenedAt: time)
            }
        }
    }

    /// An answer does not name its transaction type: some apps add their request, others send only sales.
    mutating func print(_ kind: DejavooForms.Kind, _ body: JSONObject, at time: Timestamp) -> JSONValue {
        let isAnswerAlone = kind == .sale && habits.chance(percent: 50)
        return .string(
            isAnswerAlone
                ? DejavooPrintedText.answer(body, at: time) : DejavooPrintedText.exchange(body, at: time)
        )
    }
}
