import Canonical
import Payments

/// One checkout of a wallet.
struct PaydiantTill {
    let forms: PaydiantForms
    let batch: BatchName
    /// A separate random source for the reports beside the outcome.
    var habits: SeededRandom
    var random: SeededRandom

    var purchase: Purchase { forms.purchase }
    /// The amount that the till requests; the tip is the customer's.
    var due: Int64 { purchase.basket.total - purchase.basket.tip }

    private static let refusals: [(Int64, String)] = [
        (400, "DECLINED"), (402, "SUSPECTED_FRAUD"), (405, "INSUFFICIENT_FUNDS"), (505, "CARD_EXPIRED"),
    ]
    private static let silences: [(Int64, String)] = [
        (417, "TIMEOUT"), (500, "INTERNAL_ERROR"), (501, "PROCESSING_ERROR"), (502, "IN_REVIEW"),
    ]

    mutating func play(_ script: inout Script) {
        script.truly { $0.ids["vendorTransaction"] = .string(forms.transaction) }
        if let trouble = purchase.trouble { return play(trouble, &script) }
        if purchase.intent == .withdrawal { return withdraw(&script) }
        let purpose: PaydiantForms.Purpose = purchase.intent == .credit ? .giveBack : .purchase
        if habits.chance(percent: 20) { script.report("obtainCheckoutTokenFor", forms.asked(purpose)) }
        script.report("ObtainCheckoutTokenCompletionBlock", forms.obtained(purpose))
        script.wait(seconds: random.within(5...40))
        if habits.chance(percent: 3) {
            script.report("RetriveTransactionMetaDataFailureBlock", forms.undiscovered(409, "TOKEN_IN_USE"))
            script.wait(seconds: 4)
        }
        if purchase.fault == .readerDisconnect {
            script.report("RetriveTransactionMetaDataFailureBlock", forms.undiscovered(417, "TIMEOUT"))
            script.wait(seconds: random.within(3...20))
        }
        discover(&script, purpose)
        script.wait(seconds: random.within(3...20))
        switch (purchase.fault, purchase.intent) {
        case (.powerLoss, _): leaveInDoubt(&script, foundPercent: 40)
        case (.lostAnswer, _): loseAnswer(&script)
        case (_, .cancelled):
            script.truly { $0.end(.cancelled) }
            script.report("CancelTransactionCompletionBlock", forms.cancelled())
            if habits.chance(percent: 50) {
                script.report("ReleaseCheckoutTokenCompletionBlock", forms.released())
            }
        case (_, .declined):
            script.truly { $0.end(.declined) }
            refuse(&script)
        case (_, .credit): giveBack(&script)
        case (.partialApproval, _): payPart(&script)
        case (_, .split): paySplit(&script)
        default:
            if purchase.fault == .contradictoryVerdicts {
                refuse(&script)
                script.wait(seconds: random.within(1...10))
            }
            offer(&script)
            tip(&script)
            pay(&script)
            guard habits.chance(percent: 2) else { return }
            // A cancellation by mistake, too late.
            script.wait(seconds: 5)
            script.report("CancelTransactionFailureBlock", forms.uncancelled())
        }
    }

    mutating func discover(_ script: inout Script, _ purpose: PaydiantForms.Purpose) {
        if random.chance(percent: 25) {
            script.report("RetrieveTransactionInformationCompletionBlock", forms.informed(purpose, due: due))
        } else {
            script.report("RetriveTransactionMetaDataCompletionBlock", forms.discovered(purpose, due: due))
        }
    }

    var whole: PaydiantForms.Part {
        .init(account: 1, amount: purchase.basket.total, tip: purchase.basket.tip)
    }

    // MARK: Payments

    /// The customer collects points, or a discount is offered and refused.
    mutating func offer(_ script: inout Script) {
        guard habits.chance(percent: 12) else { return }
        if habits.chance(percent: 70) {
            script.report("UpdateTransactionCompletionBlock", forms.collected("offer-points", total: due))
        } else {
            script.report("UpdateTransactionFailureBlock", forms.refused("offer-5-off"))
        }
        script.wait(seconds: 3)
    }

    mutating func tip(_ script: inout Script) {
        guard purchase.basket.tip > 0 else { return }
        let answer = forms.tipped(purchase.basket.tip, total: purchase.basket.total)
        script.report("UpdateTransactionCompletionBlock", answer)
        script.wait(seconds: random.within(2...8))
    }

    mutating func pay(_ script: inout Script) {
        script.truly {
            $0.sell(in: batch)
            $0.tender = "credit"
        }
        script.report("UpdateTransactionCompletionBlock", forms.paid(whole, "200", at: script.deviceNow))
    }

    /// A gift card pays its balance, another account the rest.
    mutating func paySplit(_ script: inout Script) {
        let total = purchase.basket.total
        let first = max(1, total * Int64(random.within(20...70)) / 100)
        let parts = [
            PaydiantForms.Part(account: 0, amount: first, balance: total - first),
            PaydiantForms.Part(account: 1, amount: total - first),
        ]
        let tenders = ["gift", "credit"]
        for (index, part) in parts.enumerated() {
            let paid = parts[...index].map(\.amount)
            script.truly {
                $0.sell(paid.reduce(0, +), in: batch)
                $0.tip = 0
                $0.parts = paid
                $0.tenders = Array(tenders[...index])
            }
            script.report("SplitTenderPaymentCompletionBlock", forms.split(part, at: script.deviceNow))
            script.wait(seconds: random.within(8...40))
        }
    }

    /// The gift card's balance is not enough; the rest is paid in cash.
    mutating func payPart(_ script: inout Script) {
        let total = purchase.basket.total
        let part = max(1, total * Int64(random.within(20...80)) / 100)
        script.truly {
            $0.sell(part, in: batch)
            $0.tender = "gift"
        }
        let paid = PaydiantForms.Part(account: 0, amount: part, balance: total - part)
        script.report("SplitTenderPaymentCompletionBlock", forms.split(paid, at: script.deviceNow))
    }

    mutating func giveBack(_ script: inout Script) {
        script.truly { $0.credit(in: batch) }
        let answer = forms.paid(whole, "230", purpose: .giveBack, at: script.deviceNow)
        script.report("UpdateTransactionCompletionBlock", answer)
    }

    mutating func refuse(_ script: inout Script) {
        let (code, message) = random.pick(Self.refusals)
        script.report("UpdateTransactionFailureBlock", forms.failed(whole, code, message))
    }

    mutating func withdraw(_ script: inout Script) {
        script.truly { $0.isCash = true }
        script.report("ObtainCheckoutTokenCompletionBlock", forms.obtained(.cash))
        script.wait(seconds: random.within(5...30))
        if habits.chance(percent: 30) {
            let code: JSONValue = .string(habits.digits(6))
            script.report("generateAccessCode", ["request": ["length": 6], "accessCode": code])
        }
        script.report("RetriveTransactionMetaDataCompletionBlock", forms.discovered(.cash, due: nil))
        script.wait(seconds: random.within(10...40))
        if habits.chance(percent: 8) {
            script.truly { $0.credit(in: batch) }
            return script.report("UpdateTransactionCompletionBlock", forms.deposited(purchase.basket.total))
        }
        let asked = purchase.basket.total
        // Sometimes the machine runs out of notes.
        if asked > 2_000, random.chance(percent: 10) {
            let part = asked / 4_000 * 2_000
            script.truly {
                $0.sell(part, in: batch)
                // Dispensing less is a success (document 001, line 102).
                $0.status = .captured
            }
            script.report("UpdateTransactionCompletionBlock", forms.partlyWithdrawn(part, of: asked))
        } else {
            script.truly { $0.sell(in: batch) }
            script.report("SubmitCashAccessAmountCompletionBlock", forms.withdrawn(asked, at: script.deviceNow))
        }
    }

    // MARK: Failures

    mutating func loseAnswer(_ script: inout Script) {
        let (code, message) = random.pick(Self.silences)
        script.report("UpdateTransactionFailureBlock", forms.failed(whole, code, message))
        leaveInDoubt(&script, foundPercent: 50)
    }

    /// The wallet may query again and receive the result of its payment.
    mutating func leaveInDoubt(_ script: inout Script, foundPercent: Int) {
        let isPosted = random.chance(percent: 65)
        script.truly { truth in
            if isPosted { truth.sell(in: batch) } else { truth.end(.notPosted) }
            truth.evidence = .missing
            // Only the answer names it.
            truth.tip = 0
        }
        guard isPosted, random.chance(percent: foundPercent) else { return }
        script.wait(seconds: random.within(20...2_400))
        script.truly {
            $0.evidence = .complete
            $0.tender = "credit"
            $0.tip = purchase.basket.tip
        }
        script.report("UpdateTransactionCompletionBlock", forms.paid(whole, "200", at: script.deviceNow))
    }
}
