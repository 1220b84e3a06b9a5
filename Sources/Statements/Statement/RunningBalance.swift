import Payments

/// Checks that each row's balance follows from the row's amount and the balance of the adjacent row. Files list rows
/// from the oldest or from the newest; the direction that explains more rows is used.
struct RunningBalance: Sendable {
    private struct Failure: Sendable {
        var line: Int
        var stated: Int64
        var computed: Int128
    }

    private struct Direction: Sendable {
        static let reported = 100
        var held: Int64 = 0
        var failures: [Failure] = []

        mutating func check(_ stated: Int64, _ computed: Int128, line: Int) {
            if Int128(stated) == computed {
                held += 1
            } else if failures.count < Self.reported {
                failures.append(Failure(line: line, stated: stated, computed: computed))
            }
        }
    }

    private var previous: (amount: Int64, balance: Int64, line: Int)?
    private var count: Int64 = 0
    private var oldestFirst = Direction()
    private var newestFirst = Direction()

    mutating func add(_ amount: Int64, balance: Int64, line: Int) {
        defer { previous = (amount, balance, line) }
        guard let previous else { return }
        count += 1
        oldestFirst.check(balance, Int128(previous.balance) + Int128(amount), line: line)
        newestFirst.check(previous.balance, Int128(balance) + Int128(previous.amount), line: previous.line)
    }

    /// Reports how many balances follow, and each of the first hundred that do not.
    func report(_ scope: String, _ currency: Currency, line: Int, into sink: StatementSink) throws {
        guard count > 0 else { return }
        let better = newestFirst.held > oldestFirst.held ? newestFirst : oldestFirst
        for failure in better.failures {
            try sink(
                .control(
                    StatementControl(
                        .balance,
                        "row-balance",
                        scope: "line \(failure.line)",
                        stated: failure.stated,
                        sum: failure.computed,
                        currency: currency,
                        line: failure.line
                    )
                )
            )
        }
        try sink(
            .control(
                StatementControl(
                    .count,
                    "balances-that-follow",
                    scope: scope,
                    stated: count,
                    computed: better.held,
                    line: line
                )
            )
        )
    }
}
