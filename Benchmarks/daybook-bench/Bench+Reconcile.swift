import BenchReport
import Canonical
import DaybookTestKit
import Postgres

/// Line r: imports and matches a processor's file with as many lines as there are captures and planted faults. It also
/// measures one plain join of the same rows.
extension Bench {
    mutating func reconcile() async throws {
        let count = isQuick ? 20_000 : 1_000_000
        let (program, server) = (self.program, self.server)
        let world = ReconcileWorld(count: count)
        let (imported, joined, run, found, late) = try await withTemporaryDirectory(prefix: "bench") { directory in
            try await server.withDatabase("reconcile") { url in
                let file = directory + "/settlement.csv"
                let (text, lines) = world.statement()
                try writeText(text, to: file)
                let key = try await ChildProgram.run(
                    program,
                    ["keys", "create", "--tenant", "bench", "--scopes", "read", "--database-url", url]
                )
                guard key.succeeded else { throw LoadFailure(key.standardError) }
                let importing = ["statement", "import", file, "--database-url", url]
                let imported = try await BenchCommand.run(program, importing)
                try await prepare(world, in: directory, url)
                // The first run has no movements and applies the log to the read models.
                let reconciling = ["reconcile", "run", "--database-url", url]
                try await TestPsql(server).run(world.movements, at: url)
                try await following(url)
                let join = LoadGenerator.now()
                try await TestPsql(server).run(Self.join, at: url)
                let joined = Double(LoadGenerator.now() - join) / 1e6
                let run = try await BenchCommand.run(program, reconciling, allowing: [0, 2])
                try await following(url)
                let found = try await score(world, url)
                // A line of a missing payment arrives late; the service starts a run.
                let late = directory + "/late.csv"
                try writeText("\(ReconcileWorld.header)sale,USD,10.00,-0.20,g-0,2026-03-01,,,,\n", to: late)
                let (waited, _) = try await BenchService.with(program: program, at: url) { _ -> Double in
                    try await settle(url)
                    // The command ends when the read models contain the line, perhaps after the run.
                    let start = LoadGenerator.now()
                    _ = try await BenchCommand.run(program, ["statement", "import", late, "--database-url", url])
                    let closed = """
                        SELECT count(*) FROM read_reconciliation.exceptions
                        WHERE status = 'cleared' AND class = 'missing-at-processor'
                        """
                    while try await number(closed, url) != 1 {
                        guard LoadGenerator.now() - start < 60_000_000 else {
                            throw LoadFailure("the late line cleared no exception")
                        }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    return Double(LoadGenerator.now() - start) / 1e6
                }
                return (Double(lines) / imported.seconds, joined, run, found, waited)
            }
        }
        add(
            BenchRow(
                line: "r",
                what: "import of \(Figure.grouped(count)) lines of CSV, until the read models contain them",
                figure: Figure.rate(imported, "lines"),
                target: "100,000 lines/s: \(imported >= 100_000 ? "reached" : "missed")"
            )
        )
        add(
            BenchRow(
                line: "r",
                what: """
                    \(Figure.grouped(count)) captures against as many lines, 1 % faults of all \(PlantedFault.allCases.count) \
                    classes, \(found.text)
                    """,
                figure: Figure.seconds(run.seconds),
                comparison: "\(Figure.seconds(joined)) (one full join)",
                ratio: Figure.ratio(run.seconds, joined),
                memory: "\(run.peakMebibytes) MiB",
                target: "3 times: \(run.seconds <= 3 * joined ? "reached" : "missed")"
            )
        )
        add(
            BenchRow(
                line: "r",
                what: "one late line, from the start of its import until the service has closed its exception",
                figure: Figure.seconds(late),
                target: "1 s: \(late < 1 ? "reached" : "missed")"
            )
        )
    }

    private static let join = """
        SELECT count(*) FROM read_movements.movements m FULL JOIN read_statements.lines l
            ON l.tenant = m.tenant AND l.processor_id = m.gateway_id AND l.currency = m.currency AND l.amount = m.amount
        """

    /// Waits until the read models have applied the log, with a service that starts no runs.
    private func following(_ url: String) async throws {
        let idle = ["--reconcile-every", "0"]
        _ = try await BenchService.with(program: program, at: url, arguments: idle) { _ in try await settle(url) }
        try await TestPsql(server).run("ANALYZE", at: url)
    }

    /// Imports the processor's rules, the bank's file and the documents of payments in doubt.
    private func prepare(_ world: ReconcileWorld, in directory: String, _ url: String) async throws {
        let (bank, mapping) = (directory + "/bank.csv", directory + "/bank.json")
        try await agreeOnRules(url)
        try writeText(ReconcileWorld.bank, to: bank)
        try writeText(ReconcileWorld.bankMapping, to: mapping)
        _ = try await BenchCommand.run(
            program,
            ["statement", "import", bank, "--format", "daybook-csv", "--mapping", mapping, "--database-url", url]
        )
        let doubts = directory + "/doubts.ndjson"
        try writeText(world.doubts, to: doubts)
        _ = try await BenchCommand.run(program, ["intake", doubts, "--vendor", "bridgepay", "--database-url", url])
    }

    /// The rules need two operators, who are the holders of two keys.
    private func agreeOnRules(_ url: String) async throws {
        let scopes = "admin,read,reconcile"
        let ann = try await BenchService.key(program, scopes: scopes, holder: "ann", at: url)
        let bob = try await BenchService.key(program, scopes: scopes, holder: "bob", at: url)
        let idle = ["--reconcile-every", "0"]
        _ = try await BenchService.with(program: program, at: url, arguments: idle) { service in
            let rules = #"{"rules":\#(ReconcileWorld.rules),"reason":"as agreed"}"#
            let proposed = try await service.send("PUT", "/v1/reconciliation-rules", rules, key: ann)
            guard let id = try JSONValue(parsing: proposed)["id"]?.string else { throw LoadFailure(proposed) }
            _ = try await service.send("POST", "/v1/proposals/\(id)/approve", #"{"reason":"as agreed"}"#, key: bob)
        }
    }

    /// Precision and recall of exceptions and links together.
    private struct Score {
        var right: Int
        var found: Int
        var planted: Int

        /// `precision 1.0000, recall 1.0000`.
        var text: String { "precision \(Self.share(right, of: found)), recall \(Self.share(right, of: planted))" }

        /// Rounded down, so that only a complete result is 1.
        private static func share(_ part: Int, of whole: Int) -> String {
            let share = whole == 0 ? 10_000 : part * 10_000 / whole
            return "\(share / 10_000)." + String("\(10_000 + share % 10_000)".dropFirst())
        }
    }

    /// Compares every link and exception with the planted ones.
    private func score(_ world: ReconcileWorld, _ url: String) async throws -> Score {
        let planted = world.exceptions
        let found = try await number("SELECT count(*) FROM (\(ReconcileWorld.found)) f", url)
        // Bounded, because a wrong result may be large.
        let reported = try await TestPsql(server).run("\(ReconcileWorld.found) LIMIT \(planted.count + 100)", at: url)
            .split(separator: "\n").map(String.init)
        let links = try await number("SELECT count(*) FROM read_reconciliation.links WHERE until IS NULL", url)
        let rightLinks = try await number(ReconcileWorld.rightLinks, url)
        let score = Score(
            right: Set(reported).intersection(planted).count + rightLinks,
            found: found + links,
            planted: planted.count + world.matched
        )
        guard score.right == score.found, score.right == score.planted else {
            let wrong = Set(reported).symmetricDifference(planted).sorted().prefix(5).joined(separator: ", ")
            let classes = try await TestPsql(server).run(
                "SELECT split_part(f, ' ', 1), count(*) FROM (\(ReconcileWorld.found)) AS t(f) GROUP BY 1 ORDER BY 1",
                at: url
            )
            throw LoadFailure(
                "\(score.text); \(links) links, \(rightLinks) right, of \(world.matched); \(wrong)\n\(classes)"
            )
        }
        return score
    }
}
