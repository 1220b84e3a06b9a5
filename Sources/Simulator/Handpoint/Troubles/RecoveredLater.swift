import Canonical
import Payments

extension HandpointTill {
    /// The reader is lost while the host answers; it delivers the result with the next sale.
    mutating func loseResult(_ script: inout Script) {
        begin(&script)
        var ending = approval
        ending.isRecovered = true
        // The time of the transaction, not of its delivery: document, line 1268.
        unclaimed = forms.finance(ending, at: script.deviceNow)
        script.truly {
            $0.sell(in: batch)
            $0.evidence = .indirect
            $0.ids["gatewayTransaction"] = .string(forms.reference)
        }
        script.report("didLostAccessoryDevice", ["oldDevice": device])
    }

    /// The app posts the recovered result under the payment that it has begun, of which it is not.
    mutating func deliverUnclaimed(_ script: inout Script) {
        guard let recovered = unclaimed else { return }
        unclaimed = nil
        script.wait(seconds: 1)
        script.truly { $0.troubles.append(.recoveredLater) }
        script.report(
            habits.chance(percent: 50) ? "responseRecoveredTransactionStatus" : "responseFinanceStatus",
            recovered
        )
    }
}
