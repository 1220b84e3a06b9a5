import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Postgres
import Testing

/// Commands that read change nothing: neither the log nor a row of any table.
struct ReadCommandTests {
    /// A new command has a row in `ReadingCommand`, or an entry among the others.
    @Test func everyCommandIsKnown() async throws {
        let commands = try await Daybook.with { try await CommandTree.commands(of: $0) }
        let reading = ReadingCommand.all(of: .init(all: "0")).map(\.arguments)
        for command in commands {
            let isKnown = reading.contains { $0.starts(with: command) } || ReadingCommand.others.contains(command)
            #expect(isKnown, "add \(command) to ReadingCommand")
        }
        #expect(ReadingCommand.others.subtracting(commands).isEmpty)
    }

    @Test func commandsThatReadChangeNothing() async throws {
        try await ReadingLedger.with { ledger in
            let before = try await ledger.digest()
            #expect(before.contains("ledger.streams") && before.contains("read_transactions.transactions"))
            for command in ReadingCommand.all(of: ledger.ids) {
                let result = try await ledger.daybook.run(command.arguments + ["--json"])
                #expect(result.exitCode == command.exitCode, "\(command.arguments): \(result)")
                #expect(try await ledger.digest() == before, "\(command.arguments)")
            }
        }
    }

    @Test func commandsThatReadApplyNothing() async throws {
        try await ReadingLedger.with { ledger in
            try await Self.append(3, to: ledger.url)
            let before = try await ledger.digest()
            try await withThrowingTaskGroup(of: Void.self) { group in
                // Some at once, because each waits a moment for a process that applies the log.
                for (index, command) in ReadingCommand.all(of: ledger.ids).enumerated() {
                    if index >= 4 { try await group.next() }
                    group.addTask { try await Self.expectNothingApplied(command, in: ledger.daybook) }
                }
                try await group.waitForAll()
            }
            #expect(try await ledger.digest() == before)

            let models = try #require(try await ledger.daybook.json("catch-up")["items"]?.array)
            let head = try #require(try await ledger.daybook.json("log")["position"]?.int64)
            #expect(!models.isEmpty && models.allSatisfy { $0["position"]?.int64 == head })
            let after = try await ledger.digest()
            #expect(try await ledger.daybook.run("list", "transactions").succeeded)
            #expect(after != before)
            let again = try await ledger.daybook.run("catch-up")
            #expect(again.succeeded && again.standardOutput.contains("up to position \(head)"), "\(again)")
            #expect(try await ledger.digest() == after)
        }
    }

    private static func expectNothingApplied(_ command: ReadingCommand, in daybook: Daybook) async throws {
        let result = try await daybook.run(command.arguments + ["--json"])
        guard command.needsReadModels else {
            #expect(result.exitCode == command.exitCode, "\(command.arguments): \(result)")
            return
        }
        let error = (try? JSONValue(parsing: Array(result.standardError.utf8)))?["error"]
        #expect(result.exitCode == 1 && error?["code"] == "projection-behind", "\(command.arguments): \(result)")
        #expect(error?["hint"]?.string?.contains("`daybook catch-up`") == true, "\(command.arguments): \(result)")
    }

    @Test func commandsThatReadWaitForAServer() async throws {
        try await Daybook.withDatabase { daybook, url in
            _ = try await daybook.key()
            let server = try await daybook.serve()
            for count in 1...3 {
                try await Self.append(20, to: url, series: count)
                let list = try await daybook.json("list", "transactions", "vendor=dejavoo")
                #expect(list["items"]?.array?.count == 20 * count)
            }
            #expect(try await server.stop() == 0)
        }
    }

    @Test func aHaltedReadModelHindersOnlyCommandsThatNeedIt() async throws {
        try await ReadingLedger.with { ledger in
            try await TestDatabase.psql(
                """
                UPDATE projection.checkpoints SET position = position - 1, fault = 'x', fault_position = position
                WHERE name = 'readers' AND is_live
                """,
                at: ledger.url
            )
            #expect(try await ledger.daybook.run("list", "transactions").succeeded)
            let refused = try await ledger.daybook.run("list", "readers")
            #expect(refused.exitCode == 1 && refused.standardError.contains("readers lacks 1 event and has halted"))
            #expect(refused.standardError.contains("(projection-behind)"), "\(refused)")
            // A process that applies the log tries the event again.
            #expect(try await ledger.daybook.run("catch-up").succeeded)
            #expect(try await ledger.daybook.run("list", "readers").succeeded)
        }
    }

    @Test func anEventThatCannotBeAppliedKeepsNoOtherReadModelBack() async throws {
        try await ReadingLedger.with { ledger in
            try await Self.append(3, to: ledger.url, series: 9)
            try await TestDatabase.psql(
                """
                ALTER TABLE ledger.events DISABLE TRIGGER ALL;
                UPDATE ledger.events SET type = 'Nonsense' WHERE position = (SELECT position - 2 FROM ledger.head);
                ALTER TABLE ledger.events ENABLE TRIGGER ALL
                """,
                at: ledger.url
            )
            let caughtUp = try await ledger.daybook.run("catch-up")
            #expect(caughtUp.exitCode == 1 && caughtUp.standardError.contains("has halted"), "\(caughtUp)")
            #expect(try await ledger.daybook.run("list", "statements").succeeded)
            let refused = try await ledger.daybook.run("list", "transactions")
            #expect(refused.exitCode == 1 && refused.standardError.contains("has halted"), "\(refused)")
        }
    }

    /// Records sales that no read model contains afterwards, unless a server applies them.
    private static func append(_ count: Int, to url: String, series: Int = 1) async throws {
        var samples = SampleRecords(series: series, random: SeededGenerator(seed: 7))
        let records = (0..<count).map { _ in samples.dejavooSale() }
        let ledger = Ledger(configuration: PostgresConfiguration(connectionString: url), logger: TestLog.logger)
        try await ledger.run(for: .appending) {
            for record in records {
                _ = try await ledger.intake.documents.submit(
                    Array(record.json.utf8),
                    vendor: record.vendor,
                    sender: Sender(tenant: "acme", actor: "till", correlation: "c")
                )
            }
        }
    }
}
