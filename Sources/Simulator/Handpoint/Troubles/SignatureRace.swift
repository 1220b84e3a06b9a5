import Canonical
import Payments

extension HandpointTill {
    /// The cashier has 45 seconds to compare the signatures: document, lines 296 and 890.
    mutating func race(signatureOf script: inout Script) {
        begin(&script)
        script.report("requestSignature", ["receipt": .string(forms.receipt(approval, at: script.deviceNow))])
        script.report(
            "responseStatus",
            forms.status(31, "Waiting for signature", "Waiting for signature", allowsCancel: false)
        )
        switch random.below(4) {
        case 0:
            script.wait(seconds: random.within(4...40))
            script.truly { $0.signature = "accepted" }
            script.report("acceptSignature", ["flag": true])
            sell(&script)
        case 1:
            script.wait(seconds: random.within(4...40))
            script.truly { $0.signature = "declined" }
            script.report("acceptSignature", ["flag": false])
            voidUnsigned(&script)
        case 2:
            timeOut(&script)
            voidUnsigned(&script)
        default:
            // The reader timed out, then reports an approval: both are recorded, and the host's word is the money.
            timeOut(&script)
            script.truly {
                $0.evidence = .indirect
                $0.flags = ["conflicting-outcome"]
            }
            sell(&script)
        }
    }

    private func timeOut(_ script: inout Script) {
        script.wait(seconds: 45)
        script.truly { $0.signature = "timed-out" }
        script.report("cancelSignature", [:])
        script.wait(seconds: 2)
    }

    private func voidUnsigned(_ script: inout Script) {
        script.truly {
            $0.end(.cancelled)
            $0.alternatives = [.failed, .declined]
        }
        var ending = ending("DECLINED", 2, "TRANSACTION VOID")
        ending.status = .invalidSignature
        finish(&script, ending)
    }
}
