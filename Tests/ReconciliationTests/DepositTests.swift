import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Postgres
import Projections
import Statements
import Testing

@testable import Reconciliation

/// Planted payouts and bank accounts, compared with the results of a run.
struct DepositTests {
    private func expect(_ world: PlantedDeposits, in planted: PlantedLedger, _ note: String) async throws {
        let links = try await planted.depositLinks()
        #expect(world.links.subtracting(links).isEmpty, "\(note): not matched")
        #expect(links.subtracting(world.links).isEmpty, "\(note): matched and should not be")
        let exceptions = try await planted.depositExceptions()
        #expect(world.exceptions.subtracting(exceptions).isEmpty, "\(note): not raised")
        #expect(exceptions.subtracting(world.exceptions).isEmpty, "\(note): raised and should not be")
    }

    @Test func everyRuleMatchesAndEveryFaultIsFound() async throws {
        let world = PlantedDeposits(each: 8, seed: 1)
        #expect(
            Set(world.links.map(\.rule)) == Set(DepositRule.standardLadder.map(\.name)).subtracting(["end-to-end-sum"])
        )
        try await PlantedLedger.with { planted in
            try await planted.import(world.payouts, side: .processor)
            try await planted.import(world.deposits, side: .bank)
            let completion = try await planted.reconcile().completion
            #expect(completion.depositsMatched == Int64(world.links.count) && completion.depositsUnmatched == 0)
            try await expect(world, in: planted, "at once")
            for isWhole in [false, true] {
                let again = try await planted.reconcile(whole: isWhole).completion
                #expect(again == RunCompletion(run: again.run))
            }
            // Every bank line and every payout is in one of the figures.
            let coverage = try await planted.deposits.coverage(of: "acme")
            let bank = coverage.filter { $0.side == .bank }
            #expect(bank.reduce(0) { $0 + $1.count } == Int64(world.deposits.count))
            #expect(bank.reduce(0) { $0 + ($1.amount ?? 0) } == world.deposits.reduce(0) { $0 + $1.amount })
            let leftOut = world.deposits.filter { world.leftOut.contains($0.name) }
            let others = bank.filter { $0.state == .leftOut }
            #expect(others.map(\.count) == [Int64(leftOut.count)])
            #expect(others.map(\.amount) == [leftOut.reduce(0) { $0 + $1.amount }])
            let payouts = coverage.filter { $0.side == .processor }
            #expect(payouts.reduce(0) { $0 + $1.count } == Int64(world.payouts.count))
            #expect(payouts.filter { $0.state == .awaited }.map(\.count) == [1])
        }
    }

    /// Files of both sides in any order, with other lines and movements in between, and a run after each.
    @Test(arguments: [UInt64(2), 3, 4]) func theOrderDoesNotMatter(seed: UInt64) async throws {
        let world = PlantedDeposits(each: 3, seed: seed)
        let payments = PlantedWorld(clean: 20, faults: 1, seed: seed)
        var random = SeededGenerator(seed: seed)
        var files: [(lines: [PlantedDeposits.Line], side: StatementSide)] = []
        for (lines, side) in [(world.payouts, StatementSide.processor), (world.deposits, .bank)] {
            let shuffled = lines.shuffled(using: &random)
            let cuts = (0..<2).map { _ in Int.random(in: 1..<shuffled.count, using: &random) }
            for (first, end) in zip(([0] + cuts).sorted(), (cuts + [shuffled.count]).sorted()) where first < end {
                files.append((Array(shuffled[first..<end]), side))
            }
        }
        files.shuffle(using: &random)
        let ordered = files
        try await PlantedLedger.with { planted in
            try await planted.put(payments.movements)
            for file in ordered {
                try await planted.import(file.lines, side: file.side)
                let outcome = try await planted.reconcile()
                // A run over the affected rows finds everything that a complete run finds.
                let whole = try await planted.reconcile(whole: true)
                #expect(whole.completion == RunCompletion(run: whole.run), "seed \(seed), after \(outcome.completion)")
            }
            try await planted.import(payments.lines)
            try await planted.reconcile()
            try await expect(world, in: planted, "seed \(seed), by what has changed")
            #expect(try await payments.links.isSubset(of: planted.links()))
            let whole = try await planted.reconcile(whole: true).completion
            #expect(whole == RunCompletion(run: whole.run), "seed \(seed)")
        }
    }

    /// A late deposit closes the exception of its payout; nothing on the ledger's side is recorded again.
    @Test func aLateDepositIsMatchedAtOnce() async throws {
        let world = PlantedDeposits(each: 1, seed: 5)
        let late = try #require(world.onlyOnesOfTheirAmount("end-to-end").first)
        try await PlantedLedger.with { planted in
            try await planted.import(world.payouts, side: .processor)
            try await planted.import(world.deposits.filter { $0.name != late.deposit }, side: .bank)
            try await planted.reconcile()
            #expect(try await planted.depositExceptions() == world.exceptions.union([late.payout]))
            let payout = try await planted.line(late.payout)
            let before = try await planted.deposits.proof(of: payout, tenant: "acme")
            #expect(before?.deposits == [] && before?.rule == nil && before?.foots == false)

            try await planted.import(world.deposits.filter { $0.name == late.deposit }, side: .bank)
            let outcome = try await planted.reconcile()
            #expect(!outcome.isWhole)
            #expect(
                outcome.completion
                    == RunCompletion(run: outcome.run, cleared: 1, depositsMatched: 1)
            )
            try await expect(world, in: planted, "late")
            let deposit = try await planted.line(late.deposit)
            let after = try #require(try await planted.deposits.proof(of: deposit, tenant: "acme"))
            #expect(after.payouts.map(\.line) == [payout] && after.deposits.map(\.line) == [deposit])
            #expect(after.rule == "end-to-end" && after.difference == 0)
            // At the earlier position, it was not there.
            let then = try await planted.deposits.proof(of: payout, tenant: "acme", asOf: outcome.covers)
            #expect(then?.deposits == [])
        }
    }

    /// A pair matched by a name is compared again only when another line shares the name.
    @Test func onlyAffectedDepositsAreCompared() async throws {
        let world = PlantedDeposits(each: 8, seed: 7)
        let late = try #require(world.links.first { $0.rule == "end-to-end" })
        let (payouts, deposits) = (world.payouts, world.deposits.filter { $0.name != late.deposit })
        let (link, last) = (late, world.deposits.filter { $0.name == late.deposit })
        let named = world.links.filter { $0.rule == "bank-reference" && !$0.payout.hasPrefix("p-again") }
        try await PlantedLedger.with { planted in
            try await planted.import(payouts, side: .processor)
            try await planted.import(deposits, side: .bank)
            let before = try await planted.reconcile()
            try await planted.import(last, side: .bank)
            let head = try await planted.ledger.reader.head()
            for model in ["statements", "reconciliation"] {
                #expect(try await planted.ledger.readModels.wait(for: model, toReach: head, timeout: .seconds(60)))
            }
            let scope = DepositScope(tenant: "acme", rules: DepositRule.standardLadder, since: before.covers)
            let found = try await Self.lines(of: scope, in: planted.ledger.pool)
            let (payout, deposit) = (try await planted.line(link.payout), try await planted.line(link.deposit))
            #expect(found.isSuperset(of: [payout, deposit]))
            for link in named {
                let line = try await planted.line(link.payout)
                #expect(!found.contains(line), "\(link)")
            }
            let since = DepositScope(tenant: "acme", rules: DepositRule.standardLadder, since: 0)
            let everything = try await Self.lines(of: since, in: planted.ledger.pool)
            #expect(everything.isEmpty && named.count > 4)
        }
    }

    /// The lines of a scope; empty when everything is compared.
    private static func lines(of scope: DepositScope, in pool: PostgresPool) async throws -> Set<UUID128> {
        try await pool.withTransaction { transaction in
            try await transaction.script(
                "CREATE TEMPORARY TABLE scope_deposits (line uuid PRIMARY KEY, is_payout boolean, round int) ON COMMIT DROP"
            )
            guard try await scope.fill(in: transaction) else { return [] }
            return Set(try await transaction.query("SELECT line FROM scope_deposits", []).map { try $0.uuid(0) })
        }
    }

    /// A better link ends the earlier one; its row remains with the position at which it ended.
    @Test func aLinkThatEndsIsKept() async throws {
        let payout = PlantedDeposits.Line(
            name: "p",
            type: "payout",
            amount: -5000,
            day: 10,
            keys: ["payout": "po_1"]
        )
        var taken = PlantedDeposits.Line(name: "d", type: "deposit", amount: 5000, day: 11)
        var named = taken
        named.name = "named"
        named.keys["text"] = "po_1"
        taken.keys["text"] = "thank you"
        let (first, second) = (taken, named)
        try await PlantedLedger.with { planted in
            try await planted.import([payout], side: .processor)
            try await planted.import([first], side: .bank)
            let before = try await planted.reconcile()
            #expect(try await planted.depositLinks().map(\.description) == ["amount p d"])
            try await planted.import([second], side: .bank)
            let outcome = try await planted.reconcile()
            #expect(try await planted.depositLinks().map(\.description) == ["remittance p named"])
            #expect(outcome.completion.depositsMatched == 1 && outcome.completion.depositsUnmatched == 1)
            let rows = try await planted.ledger.pool.query(
                """
                SELECT rule, position, until FROM read_reconciliation.deposit_links WHERE tenant = 'acme' ORDER BY position
                """,
                []
            )
            try #require(rows.count == 2)
            #expect(try rows.map { try $0.text(0) } == ["amount", "remittance"])
            let until = try #require(try rows[0].int64OrNull(2))
            let next = try rows[1].int64(1)
            #expect(until > outcome.covers && next > until)
            #expect(try rows[1].int64OrNull(2) == nil)
            let line = try await planted.line("p")
            for (position, name) in [(before.position, "d"), (.max, "named")] {
                let proof = try await planted.deposits.proof(of: line, tenant: "acme", asOf: position)
                let deposit = try await planted.line(name)
                #expect(proof?.deposits.map(\.line) == [deposit])
            }
        }
    }

    /// Rules are data: without rules nothing is matched, and every transfer on a named account counts.
    @Test func rulesDecide() async throws {
        let world = PlantedDeposits(each: 1, seed: 6)
        try await PlantedLedger.with { planted in
            try await planted.setRules(MatchingRules(deposits: [], depositAccounts: ["DE77"]))
            try await planted.import(world.payouts, side: .processor)
            try await planted.import(world.deposits, side: .bank)
            try await planted.reconcile()
            #expect(try await planted.depositLinks().isEmpty)
            let onAccount = Set(world.deposits.filter { $0.keys["account"] == "DE77" }.map(\.name))
            let exceptions = try await planted.depositExceptions()
            #expect(onAccount.isSubset(of: exceptions))
            try await planted.setRules(MatchingRules())
            let outcome = try await planted.reconcile()
            #expect(outcome.isWhole)
            try await expect(world, in: planted, "after the rules changed")
        }
    }

    @Test func olderRulesHaveTheStandardOnes() throws {
        let text = #"{"ladder":[],"graceDays":3,"lateDays":5,"expiryDays":30,"fees":[]}"#
        let rules = try JSONValueDecoder().decode(MatchingRules.self, from: JSONValue(parsing: text.utf8))
        #expect(rules == MatchingRules(ladder: [], graceDays: 3))
        #expect(rules.deposits == DepositRule.standardLadder)
        var other = rules
        other.deposits = [DepositRule("only", [.remittance], .unique, days: 4)]
        other.depositAccounts = ["A"]
        let reported = try JSONValueEncoder().encode(other)
        #expect(try JSONValueDecoder().decode(MatchingRules.self, from: reported) == other)
        let run = UUID128(high: 1, low: 2)
        let completion = #"{"run":"\#(run.text)","matched":1,"unmatched":0,"raised":2,"cleared":0}"#
        #expect(
            try JSONValueDecoder().decode(RunCompletion.self, from: JSONValue(parsing: completion.utf8))
                == RunCompletion(run: run, matched: 1, raised: 2)
        )
    }
}
