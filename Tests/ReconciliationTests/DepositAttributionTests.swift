import Canonical
import Composition
import DaybookTestKit
import Matching
import Postgres
import Projections
import Reconciliation
import Statements
import Testing

/// The merchants of unmatched payouts and transfers.
struct DepositAttributionTests {
    private typealias Line = PlantedDeposits.Line

    private static func payout(_ name: String, _ merchant: String?, account: String?, _ amount: Int64 = 1000) -> Line {
        var keys = ["payout": "po-\(name)"]
        keys["merchant"] = merchant
        keys["account"] = account
        return Line(name: name, type: "payout", amount: -amount, day: 1, keys: keys)
    }

    private static func deposit(_ name: String, _ amount: Int64, account: String, _ text: String) -> Line {
        Line(name: name, type: "deposit", amount: amount, day: 20, keys: ["account": account, "text": text])
    }

    /// The merchants by the names of lines; empty for lines without a merchant.
    private func merchants(_ planted: PlantedLedger) async throws -> [String: String] {
        var merchants: [String: String] = [:]
        for row in try await planted.ledger.pool.query(
            """
            SELECT l.view -> 'references' ->> 'other_reference', coalesce(x.merchant, '')
            FROM read_reconciliation.exceptions x
            JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            WHERE x.class = 'unmatched-deposit' AND x.status NOT IN ('cleared', 'resolved')
            """,
            []
        ) { merchants[try row.text(0)] = try row.text(1) }
        return merchants
    }

    @Test func theMerchantIsFoundFromAnyEvidence() async throws {
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(depositAccounts: ["A1", "A2", "A3", "A4"]))
            try await planted.import(
                [
                    Self.payout("p1", "M1", account: "A1"), Self.payout("p2", "M2", account: "A2"),
                    Self.payout("p3", "M3", account: "A2"), Self.payout("p4", nil, account: "A1"),
                    Self.payout("p5", "M5", account: nil, 777),
                ],
                side: .processor
            )
            try await planted.import(
                [
                    Self.deposit("named", 11, account: "A2", "settlement m3"),
                    Self.deposit("shared", 13, account: "A2", "-"), Self.deposit("both", 14, account: "A4", "M2 M3"),
                    // A match shows whose account it is.
                    Self.deposit("matched", 777, account: "A3", "po-p5"),
                    Self.deposit("own", 12, account: "A3", "-"), Self.deposit("strange", 15, account: "A4", "-"),
                ],
                side: .bank
            )
            let run = try await planted.reconcile()
            // The payout without a merchant went to an account that may have other merchants too.
            let expected = [
                "p1": "M1", "p2": "M2", "p3": "M3", "p4": "", "named": "M3", "shared": "", "both": "", "own": "M5",
                "strange": "",
            ]
            #expect(try await merchants(planted) == expected)

            // A closing includes the merchant's own exceptions; exceptions without a merchant are in the tenant's
            // report.
            try await planted.ledger.catchUp()
            let query = planted.ledger.reconciliation.query
            let day = try #require(CivilDate("2026-03-01"))
            func open(_ merchant: String) async throws -> [Int64] {
                try await query.open(of: "acme", merchant: merchant, upTo: day, at: run.position, by: .standard).map(
                    \.count
                )
            }
            #expect(try await open("M3") == [2])
            #expect(try await open("M5") == [1])
            let now = Timestamp(microsecondsSince1970: 1_790_000_000_000_000)
            func shares(_ scope: ReportScope) async throws -> [[Int64]] {
                try await query.report(of: "acme", scope, at: run.position, now: now).exceptions
                    .filter { $0.exceptionClass == "unmatched-deposit" }.map { [$0.open, $0.unattributed] }
            }
            #expect(try await shares(ReportScope()) == [[9, 4]])
            #expect(try await shares(ReportScope(merchant: "M3")) == [[2, 0]])
            var filter = ExceptionFilter()
            filter.isUnattributed = true
            #expect(
                try await planted.ledger.reconciliation.exceptions.exceptions(of: "acme", matching: filter, limit: 100)
                    .count == 4
            )
            #expect(
                try await planted.ledger.reconciliation.exceptions.exceptions(
                    of: "acme",
                    matching: filter,
                    at: run.position,
                    limit: 100
                )
                .count == 4
            )
        }
    }

    /// The merchant of a transfer may become known later: then the exception is raised again, unless an operator has
    /// decided it.
    @Test func theMerchantIsShownOnceItIsKnown() async throws {
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(depositAccounts: ["A1"]))
            try await planted.import([Self.deposit("d", 12, account: "A1", "-")], side: .bank)
            try await planted.reconcile()
            #expect(try await merchants(planted) == ["d": ""])
            try await planted.import([Self.payout("p", "M1", account: "A1")], side: .processor)
            let reported = try await planted.reconcile()
            #expect(!reported.isWhole && reported.completion.raised == 2)
            #expect(try await merchants(planted) == ["d": "M1", "p": "M1"])
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole == RunCompletion(run: whole.run))
        }
    }
}
