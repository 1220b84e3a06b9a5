import Canonical
import Payments

extension DejavooTill {
    /// The ticket takes the final amount with tip, fee and taxes: guide, offset 11703.
    mutating func captureParts(_ script: inout Script) {
        askAndWait(&script)
        script.truly { $0.authorize() }
        report(&script, .authorization, approval)
        script.wait(seconds: random.within(600...2_400))
        let base = purchase.basket.base
        let parts = Basket(
            base: base,
            tip: max(1, base * Int64(random.within(10...20)) / 100),
            tax: max(2, base * 8 / 100),
            fee: 100
        )
        ask(&script, .ticket, parts)
        note(parts, &script)
        script.truly {
            $0.capture(parts.total, tip: parts.tip, in: batch)
            $0.show("breakdown.tip", parts.tip)
            $0.show("breakdown.tax", parts.tax)
            $0.show("breakdown.fee", parts.fee)
        }
        report(&script, .ticket, approval, parts)
    }
}
