import Canonical
import Payments

extension PaydiantTill {
    /// A machine with less cash than requested dispenses what it has: document, line 102.
    mutating func withdrawPart(_ script: inout Script) {
        begin(.cash, &script)
        let asked = purchase.basket.total + 2_000
        let part = asked / 4_000 * 2_000
        script.truly {
            $0.requested = asked
            $0.base = asked
            $0.sell(part, in: batch)
            // It is a success: nothing remains to be paid.
            $0.alternatives = [.captured]
        }
        script.report("UpdateTransactionCompletionBlock", forms.partlyWithdrawn(part, of: asked))
    }
}
