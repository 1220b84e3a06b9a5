import Canonical
import DaybookTestKit
import Matching
import Projections
import Reconciliation
import Statements
import Testing

/// Payouts explained line by line.
struct DepositProofTests {
    private typealias Line = PlantedDeposits.Line

    /// A settlement of 118.13 with every kind of line and three kinds of fees.
    private static func settlement(_ key: String, _ value: String, _ prefix: String) -> [Line] {
        func line(_ name: String, _ type: String, _ amount: Int64, _ more: [String: String] = [:]) -> Line {
            Line(
                name: prefix + name,
                type: type,
                amount: amount,
                day: 10,
                keys: more.merging([key: value]) { own, _ in own }
            )
        }
        return [
            line("sale", "sale", 10_000, ["fee_interchange": "-1.20", "fee_scheme": "-0.10", "fee_markup": "-0.05"]),
            line("capture", "capture", 5_000, ["fee": "-0.50"]),
            line("refund", "refund", -1_500),
            line("refund-back", "refund-reversal", 200),
            line("chargeback", "chargeback", -700, ["fee": "-15.00"]),
            line("won", "chargeback-reversal", 300),
            line("fee", "fee", -25),
            line("held", "reserve", -1_000),
            line("given", "reserve-release", 900),
            line("correction", "adjustment", 13),
            line("exchange", "conversion", -7),
            line("carried", "transfer", 350),
            line("pending", "balance", 777_777),
            line("odd", "something-new", -33),
        ]
    }

    private static let total: Int64 = 11_813

    private static func sums(_ settlement: ProofSettlement) -> [String] {
        settlement.buckets.map { "\($0.bucket.rawValue) \($0.count) \($0.amount.map(String.init) ?? "-")" }
    }

    private static let buckets = [
        "sales 2 15000", "refunds 1 -1500", "refund-reversals 1 200", "chargebacks 1 -700",
        "chargeback-reversals 1 300",
        "fees 4 -1580", "interchange 1 -120", "scheme 1 -10", "reserve-held 1 -1000", "reserve-released 1 900",
        "adjustments 1 13", "conversions 1 -7", "transfers 1 350", "unmoved 1 0", "other 1 -33",
    ]

    @Test(arguments: [("payout", ProofSettlement.Basis.payout), ("batch", .batch), ("group", .group)])
    func linesExplainTheWholePayout(key: String, basis: ProofSettlement.Basis) async throws {
        let lines = Self.settlement(key, "po_1", "")
        let payout = Line(name: "p", type: "payout", amount: -Self.total, day: 12, keys: [key: "po_1"])
        let deposit = Line(name: "d", type: "deposit", amount: Self.total, day: 13)
        // Another settlement of the same kind, unrelated to it.
        let other = Self.settlement(key, "po_2", "other-")
        try await PlantedLedger.with { planted in
            try await planted.import(lines + [payout] + other, side: .processor)
            try await planted.import([deposit], side: .bank)
            try await planted.reconcile()
            let proof = try #require(
                try await planted.deposits.proof(of: planted.line("d"), tenant: "acme")
            )
            #expect(proof.foots && proof.difference == 0 && proof.paid == Self.total && proof.deposited == Self.total)
            #expect(proof.settlements.count == 1)
            let settlement = try #require(proof.settlements.first)
            #expect(settlement.basis == basis && settlement.reference == "po_1" && settlement.lines == 14)
            #expect(settlement.sum == Self.total && settlement.difference == 0)
            #expect(Self.sums(settlement) == Self.buckets)
            #expect(try await planted.deposits.proof(of: planted.line("p"), tenant: "acme") == proof)
            // A line that is neither a deposit nor a payout has no proof.
            #expect(try await planted.deposits.proof(of: planted.line("sale"), tenant: "acme") == nil)
            #expect(try await planted.deposits.proof(of: planted.line("d"), tenant: "other") == nil)
        }
    }

    @Test func missingAmountsAreShown() async throws {
        var lines = Self.settlement("payout", "po_1", "")
        lines.removeAll { $0.name == "refund" }
        let payout = Line(name: "p", type: "payout", amount: -Self.total, day: 12, keys: ["payout": "po_1"])
        let unknown = Line(name: "q", type: "payout", amount: -100, day: 12, keys: ["payout": "po_9"])
        let deposit = Line(name: "d", type: "deposit", amount: Self.total, day: 13)
        let reported = lines
        try await PlantedLedger.with { planted in
            try await planted.import(reported + [payout, unknown], side: .processor)
            try await planted.import([deposit], side: .bank)
            try await planted.reconcile()
            let proof = try #require(try await planted.deposits.proof(of: planted.line("p"), tenant: "acme"))
            #expect(proof.difference == 0 && !proof.foots)
            #expect(proof.settlements.map(\.difference) == [-1_500])
            #expect(proof.settlements.map(\.sum) == [Self.total + 1_500])
            // The lines of the other payout are unknown, which is not zero.
            let other = try #require(try await planted.deposits.proof(of: planted.line("q"), tenant: "acme"))
            #expect(other.settlements.map(\.basis) == [.none] && other.settlements.map(\.difference) == [nil])
            #expect(other.settlements.map(\.paid) == [100] && !other.foots)
        }
    }

    /// A total is replaced by its parts when they add up to it; otherwise it remains one line.
    @Test(arguments: [2_000, 1_999] as [Int64])
    func totalsAreReplacedByTheirParts(refund: Int64) async throws {
        let buckets =
            refund == 2_000
            ? ["sales 2 5000", "refunds 1 -2000", "fees 1 -90"] : ["fees 1 -90", "batches 1 3000"]
        let common = ["payout": "po_1", "group": "g", "role": "part"]
        let lines = [
            Line(name: "a", type: "sale", amount: 4_000, day: 10, keys: common),
            Line(name: "b", type: "sale", amount: 1_000, day: 10, keys: common),
            Line(name: "c", type: "refund", amount: -refund, day: 10, keys: common),
            Line(
                name: "t",
                type: "batch",
                amount: 3_000,
                day: 10,
                keys: ["payout": "po_1", "group": "g", "role": "total", "fee_discount": "-0.90"]
            ),
            Line(name: "p", type: "payout", amount: -2_910, day: 11, keys: ["payout": "po_1"]),
        ]
        try await PlantedLedger.with { planted in
            try await planted.import(lines, side: .processor)
            try await planted.reconcile()
            let proof = try #require(try await planted.deposits.proof(of: planted.line("p"), tenant: "acme"))
            let settlement = try #require(proof.settlements.first)
            #expect(settlement.sum == 2_910 && settlement.difference == 0 && settlement.lines == 1)
            #expect(Self.sums(settlement) == buckets)
        }
    }

    /// Lines come page by page, each with its explanation.
    @Test func linesAreExplained() async throws {
        var lines = Self.settlement("payout", "po_1", "")
        lines[0].keys["processor_id"] = "g-1"
        let payout = Line(name: "p", type: "payout", amount: -Self.total, day: 12, keys: ["payout": "po_1"])
        let reported = lines
        try await PlantedLedger.with { planted in
            try await planted.put([.init(transaction: 7, amount: 10_000, day: 10, keys: ["gateway_id": "g-1"])])
            try await planted.import(reported + [payout], side: .processor)
            try await planted.reconcile()
            let id = try await planted.line("p")
            var found: [ProofLine] = []
            while true {
                let page = try await planted.deposits.lines(
                    paidBy: id,
                    tenant: "acme",
                    after: found.last?.line,
                    limit: 4
                )
                found += page
                if page.count < 4 { break }
            }
            #expect(found.count == reported.count && Set(found.map(\.line)).count == reported.count)
            #expect(found.reduce(0) { $0 + ($1.type == "balance" ? 0 : $1.amount ?? 0) } == Self.total)
            let sale = try await planted.line("sale")
            let explained = try #require(found.first { $0.line == sale })
            #expect(explained.explanations.map(\.rule) == ["gateway-id"] && explained.questions.isEmpty)
            let chargeback = try await planted.line("chargeback")
            let open = try #require(found.first { $0.line == chargeback })
            #expect(open.questions.map(\.exceptionClass) == ["chargeback-without-sale"] && open.explanations.isEmpty)
            #expect(open.bucket == .chargebacks && open.fees == -1_500 && open.amount == -2_200)
        }
    }

    /// Sums beyond 64 bits are nil, and nothing fails.
    @Test func overflowingSumsAreNotShown() async throws {
        let most = Int64.max
        @Sendable func sale(_ name: String) -> Line {
            Line(name: name, type: "sale", amount: most, day: 10, keys: ["payout": "po_1"])
        }
        let payout = Line(name: "p", type: "payout", amount: -most, day: 11, keys: ["payout": "po_1"])
        try await PlantedLedger.with { planted in
            try await planted.import([sale("a")], side: .processor)
            try await planted.import([sale("b")], side: .processor)
            try await planted.import([payout], side: .processor)
            try await planted.reconcile()
            let proof = try #require(try await planted.deposits.proof(of: planted.line("p"), tenant: "acme"))
            let settlement = try #require(proof.settlements.first)
            #expect(settlement.paid == most && settlement.sum == nil && settlement.difference == nil)
            #expect(Self.sums(settlement) == ["sales 2 -"] && !proof.foots)
        }
    }
}
