import Canonical
import Payments

extension HandpointTill {
    /// An operation can be cancelled until its request is sent: document, line 332.
    mutating func race(cancellationOf script: inout Script) {
        script.report("saleWithAmount", .object(forms.request(asked)))
        deliverUnclaimed(&script)
        script.wait(seconds: random.within(2...9))
        script.report("responseStatus", forms.status(20, "Waiting card", "Waiting for card", allowsCancel: true))
        script.wait(seconds: random.within(2...9))
        let outcome = random.below(3)
        guard outcome > 0 else {
            script.truly {
                $0.end(.cancelled)
                $0.cancellation = "honoured"
            }
            script.report("cancel", [:])
            script.wait(seconds: 1)
            var ending = ending("CANCELLED", 5, "TRANSACTION VOID")
            ending.status = .merchantCancelled
            return finish(&script, ending)
        }
        script.report("responseStatus", forms.status(33, "Sending", "Sending data to host", allowsCancel: false))
        script.wait(seconds: 1)
        script.report("cancel", [:])
        script.report(
            "responseStatus",
            forms.status(34, "Receiving", "Waiting for data from host", allowsCancel: false)
        )
        script.wait(seconds: random.within(2...9))
        guard outcome == 1 else {
            // The reader is lost, and the cancellation proves nothing.
            let isPosted = random.chance(percent: 50)
            script.truly {
                CodeMeaning.unknown.apply(to: &$0, isPosted: isPosted, in: batch)
                $0.cancellation = "requested"
            }
            return script.report("didLostAccessoryDevice", ["oldDevice": device])
        }
        script.truly { $0.cancellation = "too-late" }
        sell(&script)
    }
}
