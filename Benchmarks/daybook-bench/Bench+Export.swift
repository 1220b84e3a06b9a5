import BenchReport
import Composition
import DaybookTestKit
import Postgres

/// Line d: exporting the log to a file, and importing it.
extension Bench {
    mutating func export() async throws {
        let count = isQuick ? 50_000 : 1_000_000
        let program = self.program
        let server = self.server
        let (out, back) = try await withTemporaryDirectory(prefix: "bench") { directory in
            let file = directory + "/log.ndjson"
            let root = "SELECT position, frontier FROM ledger.head"
            let (out, exported) = try await server.withDatabase("exported") { url in
                _ = try await withLog(url) { try await $0.fill(count) }
                let command = try await BenchCommand.run(program, ["export", "--output", file, "--database-url", url])
                return (command, try await TestPsql(server).run(root, at: url))
            }
            let (back, imported) = try await server.withDatabase("imported") { url in
                _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
                let command = try await BenchCommand.run(program, ["import", file, "--database-url", url])
                return (command, try await TestPsql(server).run(root, at: url))
            }
            guard exported == imported else { throw LoadFailure("the imported log has another root") }
            return (out, back)
        }
        let ceiling = try await Ceilings(server: server).copy(rows: count)
        for (what, command) in [("export to a file", out), ("import into an empty database", back)] {
            let rate = Double(count) / command.seconds
            add(
                BenchRow(
                    line: "d",
                    what: what,
                    figure: Figure.rate(rate, "lines"),
                    comparison: "\(Figure.rate(ceiling, "rows")) (COPY in)",
                    ratio: Figure.ratio(rate, ceiling),
                    memory: "\(command.peakMebibytes) MiB"
                )
            )
        }
    }
}
