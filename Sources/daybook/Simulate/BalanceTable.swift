import Canonical
import Simulator

extension BalanceScore {
    /// The maximum number of differences that are printed.
    private static let shown = 20

    func show() {
        Terminal.table(
            ["", "right", "claimed", "actual", "precision", "recall"],
            [
                [
                    "balances", "\(balances.right)", "\(balances.claimed)", "\(balances.actual)",
                    Measure.text(balances.precision), Measure.text(balances.recall),
                ]
            ],
            rightAligned: [1, 2, 3, 4, 5]
        )
        if !doubts.isEmpty {
            Terminal.say("money of \(paymentsInDoubt, "payment") in doubt, which is in no balance of the ledger:")
            Terminal.table(
                ["account", "truth", "in doubt", "expected", "ledger"],
                doubts.map { [$0.account.text, "\($0.truth)", "\($0.inDoubt)", "\($0.expected)", "\($0.found)"] },
                rightAligned: [1, 2, 3, 4]
            )
        }
        for one in differences.prefix(Self.shown) {
            Terminal.say(
                "! \(one.subject): \(one.expected), the ledger has \(one.found) (\(one.inDoubt) in doubt)"
            )
        }
        if differences.count > Self.shown {
            Terminal.say("and \(differences.count - Self.shown) more; --json lists them")
        }
        for day in unread { Terminal.say("! the balances of \(day) were not read") }
        let wrong = sums.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        Terminal.say(
            "sum of the absolute differences in minor units: \(wrong.isEmpty ? "0" : wrong)"
                + (isClean ? "; the journal matches the truth" : "")
        )
    }
}
