import Canonical
import DaybookTestKit
import Matching
import Projections
import Reconciliation
import Statements
import Testing

/// One payout in several files: its total in one, its parts in another, the deposit in a third.
struct SplitFilesTests {
    private typealias Line = PlantedDeposits.Line

    /// The final status of everything.
    private struct Status: Hashable {
        var links: Set<PlantedWorld.Finding>
        var exceptions: Set<PlantedWorld.Finding>
        var deposits: Set<PlantedDeposits.Link>
        var buckets: [String]
        var sums: [Int64?]
        var foots: Bool
    }

    /// The lines of a file and the side that made it.
    private struct File {
        var side: StatementSide
        var lines: [Line]
    }

    private static let amounts: [Int64] = [1_000, 2_000, -300]

    private static func name(_ number: Int) -> String { "g-\(number)" }

    private static let total = Line(
        name: "total",
        type: "batch",
        amount: 2_700,
        day: 5,
        keys: [
            "payout": "po_1", "group": "1", "role": "total", "batch": "77", "terminal": "T", "merchant": "M",
            "fee_discount": "-0.55",
        ]
    )

    private static let parts = amounts.enumerated().map { place, amount in
        Line(
            name: name(place + 1),
            type: amount < 0 ? "refund" : "sale",
            amount: amount,
            day: 5,
            keys: [
                "payout": "po_1", "group": "1", "role": "part", "batch": "77", "terminal": "T", "merchant": "M",
                "processor_id": name(place + 1),
            ]
        )
    }

    private static let payout = Line(
        name: "payout",
        type: "payout",
        amount: -2_645,
        day: 6,
        keys: ["payout": "po_1", "merchant": "M"]
    )

    private static let deposit = Line(
        name: "deposit",
        type: "deposit",
        amount: 2_645,
        day: 7,
        keys: ["account": "DE77", "text": "transfer po_1"]
    )

    private static let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

    /// Imports the files in an order and reconciles after each, or once at the end.
    private func result(_ files: [File], _ order: [Int], eachTime: Bool) async throws -> Status {
        let found = Found()
        try await PlantedLedger.with { planted in
            try await planted.put(
                Self.amounts.enumerated().map { place, amount in
                    PlantedWorld.Movement(
                        transaction: place + 1,
                        line: amount < 0 ? "refund:r" : "capture:sale",
                        type: amount < 0 ? "refund" : "sale",
                        amount: amount,
                        day: 5,
                        keys: ["gateway_id": Self.name(place + 1), "batch": "77", "terminal": "T", "merchant": "M"]
                    )
                }
            )
            for place in order {
                try await planted.import(files[place].lines, side: files[place].side)
                if eachTime { try await planted.reconcile() }
            }
            try await planted.reconcile()
            let proof = try #require(try await planted.deposits.proof(of: planted.line("deposit"), tenant: "acme"))
            let settlement = try #require(proof.settlements.first)
            await found.set(
                Status(
                    links: try await planted.links(),
                    exceptions: try await planted.exceptions(),
                    deposits: try await planted.depositLinks(),
                    buckets: settlement.buckets.map {
                        "\($0.bucket.rawValue) \($0.count) \($0.amount.map(String.init) ?? "-")"
                    },
                    sums: [proof.deposited, proof.paid, proof.difference, settlement.sum, settlement.difference],
                    foots: proof.foots
                )
            )
            // A complete run finds nothing new.
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole.matched + whole.unmatched + whole.raised + whole.cleared == 0)
            #expect(whole.depositsMatched + whole.depositsUnmatched == 0)
        }
        return try #require(await found.result)
    }

    private actor Found {
        var result: Status?
        func set(_ result: Status) { self.result = result }
    }

    /// The final status after any order of imports, with a run after each or one at the end; it must always be the
    /// same.
    private func result(_ parts: [Line]) async throws -> Status {
        let files = [
            File(side: .processor, lines: [Self.total, Self.payout]), File(side: .processor, lines: parts),
            File(side: .bank, lines: [Self.deposit]),
        ]
        var statuses: Set<Status> = []
        for order in Self.orders {
            for eachTime in [false, true] {
                statuses.insert(try await result(files, order, eachTime: eachTime))
            }
        }
        #expect(statuses.count == 1, "\(statuses)")
        let result = try #require(statuses.first)
        #expect(result.foots && result.sums == [2_645, 2_645, 0, 2_645, 0], "\(result)")
        #expect(result.deposits == [.init(rule: "remittance", payout: "payout", deposit: "deposit")])
        #expect(
            result.links
                == Set((1...3).map { .init(what: "gateway-id", line: Self.name($0), transaction: $0) }),
            "\(result.links)"
        )
        return result
    }

    @Test func everyCentIsExplainedInAnyOrder() async throws {
        let result = try await result([Self.total] + Self.parts)
        #expect(result.exceptions.isEmpty, "\(result.exceptions)")
        #expect(result.buckets == ["sales 2 3000", "refunds 1 -300", "fees 1 -55"])
    }

    /// In a file without the total, nothing shows what the parts belong to: they are matched individually, and the
    /// total remains open.
    @Test func partsWithoutTheirTotalStayOpen() async throws {
        let result = try await result(Self.parts)
        #expect(result.exceptions == [.init(what: "missing-in-ledger", line: "total", transaction: nil)])
        #expect(result.buckets == ["fees 1 -55", "batches 1 2700"])
    }
}
