import Canonical
import Composition
import DaybookTestKit
import EventLog
import Matching
import Payments
import Postgres
import Testing

@testable import Reconciliation

/// The statements of a run find what their first, simplest forms find, on the same sides.
struct EarlierMatchingTests {
    private static let fees = [
        ExpectedFee(currency: "USD", basisPoints: 200, tolerance: 1),
        ExpectedFee(currency: "EUR", basisPoints: 150, fixed: 10, tolerance: 0),
    ]
    /// Rules of which each reads other columns, and one that only reads what the others leave.
    private static let rules = MatchingRules(fees: fees)

    private func rows(
        _ sql: String,
        _ parameters: [PostgresValue] = [],
        in transaction: borrowing PostgresTransaction
    ) async throws -> [String] {
        try await transaction.query("SELECT t::text FROM (\(sql)) t", parameters).map { try $0.text(0) }
    }

    /// Compares the two sides of the planted world in the temporary tables of a run.
    private func compare(
        since: Int64,
        in planted: PlantedLedger,
        _ note: String
    ) async throws {
        let rules = Self.rules
        let today = "2026-02-20"
        try await planted.ledger.pool.withTransaction { transaction in
            let matcher = Matcher(
                tenant: "acme",
                rules: rules,
                since: since,
                horizon: "2026-02-10",
                horizonBefore: nil,
                accounts: HorizonSQL(
                    tenant: "acme",
                    since: since,
                    lastDay: nil,
                    today: today,
                    silentDays: rules.silentDays
                )
            )
            let deposits = DepositMatcher(tenant: "acme", rules: rules, since: since, today: today, lastDay: nil)
            let matched = try await matcher.match(in: transaction)
            let extent = try await matcher.explain(matched, with: deposits, in: transaction)
            let parameters: [PostgresValue] = [.text("acme")] + RunChange.newLinks.parameters(rules)
            let sql = try #require(RunChange.newLinks.sql(extent))
            let links = try await rows(sql, parameters, in: transaction)
            #expect(try await rows(EarlierSQL.newLinks, parameters, in: transaction) == links, "\(note): links")
            #expect(!links.isEmpty, "\(note): no links")
            if extent.lines == .changes {
                // As if all of them were gone, and a part of them.
                for keep in ["true", "l % 3 = 0", "false"] {
                    try await transaction.script("DELETE FROM link WHERE NOT (\(keep))")
                    let sql = try #require(RunChange.oldLinks.sql(extent))
                    let earlier = try await rows(EarlierSQL.oldLinks, parameters, in: transaction)
                    #expect(try await rows(sql, parameters, in: transaction) == earlier, "\(note): old links")
                }
                return
            }
            let related = rules.ladder + [MatchingRule("related-id", [.relatedID], .unique)]
            let pairs = EarlierSQL.near(related).joined(separator: " UNION ALL ")
            let near = try await rows("SELECT l, m, rule FROM near ORDER BY l, m, rule", in: transaction)
            #expect(try await rows("\(pairs) ORDER BY 1, 2, 3", in: transaction) == near, "\(note): near")
            for fee in rules.fees {
                let earlier = try await rows(EarlierSQL.fees(fee), [.text("acme")], in: transaction)
                let found = try await rows(
                    """
                    SELECT f.l, f.m, f.expected::int8 FROM found f JOIN l0 l ON l.n = f.l
                    WHERE f.class = 'fee-differs' AND upper(l.line_currency) = '\(fee.currency)' ORDER BY l.id
                    """,
                    in: transaction
                )
                #expect(earlier == found && (fee.currency != "USD" || !found.isEmpty), "\(note): \(fee.currency)")
            }
        }
    }

    @Test(arguments: [UInt64(11), 12, 13]) func aRunFindsWhatTheFirstStatementsFind(seed: UInt64) async throws {
        let world = PlantedWorld(clean: 300, faults: 6, batches: 8, seed: seed)
        try await PlantedLedger.with { planted in
            try await planted.setRules(Self.rules)
            try await planted.put(world.movements)
            try await planted.import(world.lines)
            for file in world.others { try await planted.import(file) }
            try await planted.ledger.catchUp()
            try await compare(since: 0, in: planted, "at once")
            let outcome = try await planted.reconcile()
            // More movements for half of the payments: some lines are explained by others now.
            let again = world.movements.filter { $0.transaction.isMultiple(of: 2) }.map { movement in
                var movement = movement
                movement.line += "-again"
                return movement
            }
            try await planted.put(again, position: outcome.position + 1)
            try await planted.ledger.pool.withTransaction { transaction in
                try await transaction.script(
                    "UPDATE read_reconciliation.links SET rule = 'rrn' WHERE match::text > 'b'"
                )
            }
            try await compare(since: outcome.position, in: planted, "the changes")
        }
    }

    // MARK: Links of events

    private static func event(_ data: String, position: Int64, tenant: String = "acme") -> RecordedEvent {
        let moment = Timestamp(microsecondsSince1970: 0)
        return RecordedEvent(
            position: position,
            id: UUID128(high: 0, low: UInt64(position)),
            tenant: tenant,
            stream: "reconciliation/x",
            version: position,
            type: ReconciliationEvent.Name.matched.rawValue,
            schema: 1,
            occurredAt: moment,
            recordedAt: moment,
            actor: "cli:test",
            correlation: "c",
            causation: nil,
            data: data
        )
    }

    private static func id(_ random: inout SeededGenerator) -> String {
        UUID128(high: random.next(), low: random.next()).description
    }

    /// Links as a run writes them; some share a line or a match.
    private static func written(_ count: Int, _ random: inout SeededGenerator) -> [String] {
        var links: Set<String> = []
        while links.count < count {
            let (line, transaction) = (id(&random), id(&random))
            links.insert(#"["\#(line)","\#(transaction)","capture:sale"]"#)
            links.insert(#"["\#(line)","\#(transaction)","capture: été"]"#)
            links.insert(#"["\#(line)","\#(transaction)","","\#(id(&random))"]"#)
        }
        return links.sorted()
    }

    @Test func copiedLinksAreThoseOfTheFirstStatement() async throws {
        var random = SeededGenerator(seed: 21)
        var events: [RecordedEvent] = []
        for position in 1...Int64(20) {
            let links = Self.written(Int.random(in: 1...60, using: &random), &random).joined(separator: ",")
            let data =
                position.isMultiple(of: 2)
                ? #"{"links":[\#(links)],"rule":"gateway-id"}"# : #"{"rule":"rrn sum","links":[\#(links)]}"#
            events.append(Self.event(data, position: position))
        }
        var copied = LinkRows()
        for event in events {
            let isCopied = copied.add(event)
            #expect(isCopied)
        }
        let (links, written) = (copied, events)
        try await PlantedLedger.with { planted in
            try await planted.ledger.pool.withTransaction { transaction in
                let all = "SELECT * FROM links ORDER BY position, line, transaction, movement"
                try await transaction.script(
                    "CREATE TEMPORARY TABLE links (LIKE read_reconciliation.links INCLUDING ALL) ON COMMIT DROP"
                )
                _ = try await transaction.execute(
                    EarlierSQL.matched,
                    [
                        .textArray(written.map(\.tenant)), .int64Array(written.map(\.position)),
                        .jsonArray(written.map(\.data)),
                    ]
                )
                let earlier = try await self.rows(all, in: transaction)
                try await transaction.script("TRUNCATE links")
                try await links.write(in: transaction)
                #expect(try await self.rows(all, in: transaction) == earlier && earlier.count > 100)
            }
        }
    }

    /// Everything that a run does not write is left to SQL.
    @Test func otherFormsAreNotCopied() throws {
        var random = SeededGenerator(seed: 22)
        let (a, b) = (Self.id(&random), Self.id(&random))
        let (low, high) = (min(a, b), max(a, b))
        let link = #"["\#(low)","\#(high)","x"]"#
        let later = #"["\#(high)","\#(low)","x"]"#
        let good = #"{"rule":"rrn","links":[\#(link),\#(later)]}"#
        var rows = LinkRows()
        let isCopied = rows.add(Self.event(good, position: 1))
        #expect(isCopied)
        for other in [
            "", "{}", good + " ", String(good.dropLast()), #"{"rule":"rrn","links":[]}"#,
            #"{"rule":"rrn","links":[\#(later),\#(link)]}"#, #"{"rule":"rrn","links":[\#(link),\#(link)]}"#,
            good.replacing("rrn", with: #"a\\b"#), good.replacing(#""x""#, with: #""\t""#),
            good.replacing(low, with: "x"), good.replacing(#""rule""#, with: #""Rule""#),
            #"{"rule":"rrn", "links":[\#(link)]}"#, #"{"rule":null,"links":[\#(link)]}"#,
        ] {
            let isCopied = rows.add(Self.event(other, position: 2))
            #expect(!isCopied, "\(other)")
        }
        let isForeign = rows.add(Self.event(good, position: 3, tenant: #"a\b"#))
        #expect(!isForeign)
    }
}
