import Canonical
import Payments

// The troubles of payments over PayGuardian.
extension BridgePayTill {
    mutating func play(_ trouble: Trouble, _ script: inout Script) {
        switch trouble {
        case .giftCard: handleGiftCard(&script)
        case .codeTables: playTables(&script)
        case .wrongReference:
            approach(&script)
            sell(&script)
            voidAnother(&script)
        case .testMode:
            approach(&script)
            script.truly { $0.isTest = true }
            sell(&script)
            // The gateway's test system keeps it: guide, line 517.
            script.truly { $0.batch = nil }
        case .healthCare: sellHealthCare(&script)
        case .forcedSale, .voiceSale: sellBeside(trouble, &script)
        case .cancelRace: race(cancellationOf: &script)
        default:
            approach(&script)
            sell(&script)
        }
    }

    /// Up to the gateway. The app sends its request before only where it has no more members than a plain one.
    mutating func approach(_ script: inout Script) {
        if purchase.trouble == .testMode || purchase.trouble == .wrongReference {
            begin(&script)
        } else {
            report(&script, [.notStarted, .waitingForCard])
        }
        readCard(&script)
    }

    /// The answer of an approved sale, with changes of the request and of the answer.
    mutating func approve(
        _ script: inout Script,
        _ change: (_ request: inout JSONObject, _ response: inout JSONObject) -> Void
    ) {
        let total = purchase.basket.total
        var request = forms.request("SALE", amount: total, tip: purchase.basket.tip > 0 ? purchase.basket.tip : nil)
        var response = forms.response(
            .approved,
            type: "004",
            description: "sale",
            authorized: total,
            original: total,
            code: code,
            at: script.deviceNow
        )
        change(&request, &response)
        script.truly { $0.sell(in: batch) }
        prints(&script)
        noteIDs(&script)
        report(&script, [.finished])
        let receipt = forms.receipt(total: total, code: code)
        script.report(
            "BPNPayment",
            [
                "BPNPaymentRequest": .object(request), "BridgeCommResponse": .object(response),
                "BPNReceipt": .object(receipt),
            ]
        )
    }
}
