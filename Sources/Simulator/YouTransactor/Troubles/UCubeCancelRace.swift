import Canonical
import Payments

extension UCubeTill {
    /// A cancellation is possible until the card is read: document, line 364.
    mutating func race(cancellationOf script: inout Script) {
        guard random.chance(percent: 50) else {
            script.truly {
                $0.end(.cancelled)
                $0.cancellation = "honoured"
            }
            script.report("cancel", ["status": true])
            script.wait(seconds: 1)
            return finish(&script, .init(status: "cancelled", isRead: false))
        }
        progress(&script, ["cardReadEnd"])
        script.truly { $0.cancellation = "too-late" }
        script.report("cancel", ["status": false])
        progress(&script, ["authorization"])
        script.truly { $0.sell(in: batch) }
        answer(&script, "00")
        finish(&script, .init(status: "approved", host: "00", last: "40"))
    }
}
