import Canonical
import Payments

extension BridgePayTill {
    /// An app can cancel what it has started: guide, lines 763 and 1767 to 1810. It ends like a card that cannot be
    /// read, or with the error of a cancellation (line 2352). Nothing reverses what the gateway has approved by then.
    mutating func race(cancellationOf script: inout Script) {
        begin(&script)
        let outcome = random.below(3)
        guard outcome > 0 else {
            script.truly {
                $0.end(.cancelled)
                $0.cancellation = "honoured"
            }
            script.report("cancel", reader.command)
            script.wait(seconds: 1)
            report(&script, [.finished])
            let isCard = random.chance(percent: 50)
            let text = isCard ? "Card failed to read" : "Transaction cancelled."
            return fail(&script, code: isCard ? 6 : "E1020", text, "SALE")
        }
        readCard(&script)
        script.report("cancel", reader.command)
        guard outcome == 1 else {
            let isPosted = random.chance(percent: 50)
            script.truly {
                CodeMeaning.unknown.apply(to: &$0, isPosted: isPosted, in: batch)
                $0.cancellation = "requested"
            }
            return fail(&script, code: "E1018", "Unable to process transaction.", "SALE")
        }
        script.truly { $0.cancellation = "too-late" }
        sell(&script)
    }
}
