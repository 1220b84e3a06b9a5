import Canonical
import Projections
import Testing

@testable import Reconciliation

@Suite struct ReportBalanceTests {
    private static func share(
        _ state: ReconciliationReport.Share.State,
        _ count: Int64,
        _ amount: Int64,
        _ currency: String = "USD"
    ) -> ReconciliationReport.Share {
        .init(currency: currency, state: state, count: count, amount: amount)
    }

    private static func balances(
        processor: [ReconciliationReport.Share] = [],
        ledger: [ReconciliationReport.Share] = [],
        open: [String: Int64?] = [:],
        suspense: [String: Int64?]? = nil
    ) -> [ReconciliationReport.Balance] {
        ReconciliationReport(
            position: 9,
            covers: 3,
            now: .earliest,
            days: .standard,
            account: [],
            processor: processor,
            ledger: ledger,
            exceptions: open.map { currency, amount in
                .init(
                    exceptionClass: "unexplained-line",
                    currency: currency,
                    ages: [1, 0, 0, 0],
                    open: 1,
                    openAmount: amount,
                    unattributed: 0,
                    resolved: 0,
                    resolvedAmount: 0
                )
            },
            suspense: suspense
        ).balances
    }

    /// Nothing is unexamined: only suspense shows that a line has no exception.
    @Test func suspenseIsThatOfTheOpenExceptions() throws {
        let equal = Self.balances(open: ["USD": -5000], suspense: ["USD": 5000])
        #expect(equal.map(\.openExceptions) == [5000] && equal.map(\.isExplained) == [true])
        for (open, suspense): ([String: Int64?], [String: Int64?]) in [
            ([:], ["USD": 5000]), (["USD": -5000], [:]), (["USD": -5000], ["USD": 4999]),
            (["USD": 5000], ["USD": 5000]), (["USD": -5000], ["EUR": 5000]), (["USD": nil], ["USD": nil]),
        ] {
            let balances = Self.balances(open: open, suspense: suspense)
            let isExplained = balances.allSatisfy(\.isExplained)
            #expect(!isExplained, "\(open) \(suspense)")
        }
        // A report of some days or of one merchant does not compare it.
        #expect(Self.balances(open: ["USD": -5000]).isEmpty)
    }

    /// Unexamined amounts may cancel to zero: of both sides together, or of one side.
    @Test func unexaminedMoneyIsNotExplained() throws {
        let both = Self.balances(
            processor: [Self.share(.matched, 1, 700), Self.share(.unexamined, 2, 500)],
            ledger: [Self.share(.matched, 1, 700), Self.share(.unexamined, 1, 500)]
        )
        #expect(both.map(\.difference) == [0] && both.map(\.unexamined) == [3])
        #expect(both.map(\.isExplained) == [false])
        let one = Self.balances(processor: [Self.share(.unexamined, 2, 0)], ledger: [Self.share(.pending, 1, 5)])
        #expect(one.map(\.difference) == [0] && one.map(\.isExplained) == [false])
    }

    @Test func currenciesAreSeparate() throws {
        let balances = Self.balances(
            processor: [Self.share(.unexamined, 1, 5, "EUR"), Self.share(.exception, 1, 7)],
            ledger: [Self.share(.pending, 1, 4)]
        )
        #expect(balances.map(\.currency) == ["EUR", "USD"] && balances.map(\.unexamined) == [1, 0])
        #expect(balances.map(\.isExplained) == [false, true])
    }
}
