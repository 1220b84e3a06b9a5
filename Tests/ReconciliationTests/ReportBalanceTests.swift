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
        processor: [ReconciliationReport.Share],
        ledger: [ReconciliationReport.Share]
    ) -> [ReconciliationReport.Balance] {
        ReconciliationReport(
            position: 9,
            covers: 3,
            now: .earliest,
            days: .standard,
            account: [],
            processor: processor,
            ledger: ledger,
            exceptions: []
        ).balances
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
