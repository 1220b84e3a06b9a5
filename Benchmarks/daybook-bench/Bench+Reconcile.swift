import DaybookTestKit
import Postgres

/// Line r: a processor's file of as many lines as there are captures, imported and matched, with planted faults; beside the
/// time of one bare join of the same rows.
extension Bench {
    /// Of a hundred payments one has a fault, each kind in turn.
    private enum Fault: Int, CaseIterable {
        case noLine, noMovement, otherAmount, otherCurrency, twice

        static func of(_ number: Int) -> Fault? {
            number % 100 == 0 ? Fault(rawValue: number / 100 % allCases.count) : nil
        }

        var exceptionClass: String {
            switch self {
            case .noLine: "missing-at-processor"
            case .noMovement: "missing-in-ledger"
            case .otherAmount: "amount-differs"
            case .otherCurrency: "currency-differs"
            case .twice: "duplicate-at-processor"
            }
        }
    }

    mutating func reconcile() async throws {
        let count = isQuick ? 20_000 : 1_000_000
        let (program, server) = (self.program, self.server)
        let (imported, joined, run, late) = try await withTemporaryDirectory(prefix: "bench") { directory in
            try await server.withDatabase("reconcile") { url in
                let file = directory + "/settlement.csv"
                let lines = try writeStatement(count, to: file)
                let key = try await ChildProgram.run(
                    program,
                    ["keys", "create", "--tenant", "bench", "--scopes", "read", "--database-url", url]
                )
                guard key.succeeded else { throw LoadFailure(key.standardError) }
                let importing = ["statement", "import", file, "--database-url", url]
                let imported = try await BenchCommand.run(program, importing)
                // A run without movements brings the read models up to date.
                let reconciling = ["reconcile", "run", "--database-url", url]
                try await TestPsql(server).run(Self.movements(count), at: url)
                try await following(url)
                let join = LoadGenerator.now()
                try await TestPsql(server).run(Self.join, at: url)
                let joined = Double(LoadGenerator.now() - join) / 1e6
                let run = try await BenchCommand.run(program, reconciling, allowing: [0, 2])
                try await following(url)
                try await score(count, lines, url)
                // What was missing at the processor comes after all; the service matches it by itself.
                let late = directory + "/late.csv"
                try writeText("\(Self.header)sale,USD,10.00,g-0,2026-03-01\n", to: late)
                let (waited, _) = try await BenchService.with(program: program, at: url) { _ -> Double in
                    try await settle(url)
                    _ = try await BenchCommand.run(program, ["statement", "import", late, "--database-url", url])
                    let start = LoadGenerator.now()
                    let closed = "SELECT count(*) FROM read_reconciliation.exceptions WHERE status = 'cleared'"
                    while try await number(closed, url) != 1 {
                        guard LoadGenerator.now() - start < 60_000_000 else {
                            throw LoadFailure("the late line closed nothing")
                        }
                        try await Task.sleep(for: .milliseconds(10))
                    }
                    return Double(LoadGenerator.now() - start) / 1e6
                }
                return (Double(lines) / imported.seconds, joined, run, waited)
            }
        }
        add(
            BenchRow(
                line: "r",
                what: "import of \(Figure.grouped(count)) lines of CSV",
                figure: Figure.rate(imported, "lines"),
                target: "100,000 lines/s: \(imported >= 100_000 ? "reached" : "missed")"
            )
        )
        add(
            BenchRow(
                line: "r",
                what: "\(Figure.grouped(count)) captures against as many lines, 1 % faults, precision and recall 1.0",
                figure: Figure.seconds(run.seconds),
                ceiling: "\(Figure.seconds(joined)) (one full join)",
                ratio: Figure.ratio(run.seconds, joined),
                memory: "\(run.peakMebibytes) MiB",
                target: "3 times: \(run.seconds <= 3 * joined ? "reached" : "missed")"
            )
        )
        add(
            BenchRow(
                line: "r",
                what: "one late line, from the end of its import until the service has closed its exception",
                figure: Figure.seconds(late),
                target: "1 s: \(late < 1 ? "reached" : "missed")"
            )
        )
    }

    private static let header = "type,currency,gross,processor_id,day\n"

    /// - Returns: How many lines there are.
    private func writeStatement(_ count: Int, to path: String) throws -> Int {
        var text = Self.header
        var lines = 0
        func line(_ number: Int, _ currency: String, _ cents: Int) {
            let rest = cents % 100
            text += "sale,\(currency),\(cents / 100).\(rest < 10 ? "0" : "")\(rest),g-\(number),2026-03-01\n"
            lines += 1
        }
        for number in 0..<count {
            let cents = 1000 + number % 9000
            switch Fault.of(number) {
            case .noLine: continue
            case .otherAmount: line(number, "USD", cents + 1)
            case .otherCurrency: line(number, "EUR", cents)
            case .twice:
                line(number, "USD", cents)
                line(number, "USD", cents)
            case .noMovement, nil: line(number, "USD", cents)
            }
        }
        // The processor has come further.
        text += "sale,USD,1.00,g-\(count),2026-03-09\n"
        try writeText(text, to: path)
        return lines + 1
    }

    /// Put straight where the read model has them: how they get there is line e.
    private static func movements(_ count: Int) -> String {
        let without = Fault.noMovement.rawValue
        return """
            INSERT INTO read_movements.movements (tenant, transaction, line, position, type, status, currency, amount,
                occurred_at, day, gateway_id)
            SELECT 'bench', ('00000000-0000-8000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'capture:sale', 0, 'sale', 'settled',
                'USD', CASE WHEN i = \(count) THEN 100 ELSE 1000 + i % 9000 END, '2026-03-01',
                CASE WHEN i = \(count) THEN DATE '2026-03-09' ELSE DATE '2026-03-01' END, 'g-' || i
            FROM generate_series(0, \(count)) AS i
            WHERE i = \(count) OR i % 100 <> 0 OR i / 100 % \(Fault.allCases.count) <> \(without)
            """
    }

    private static let join = """
        SELECT count(*) FROM read_movements.movements m FULL JOIN read_statements.lines l
            ON l.tenant = m.tenant AND l.processor_id = m.gateway_id AND l.currency = m.currency AND l.amount = m.amount
        """

    /// Lets the read models come up to the log.
    private func following(_ url: String) async throws {
        _ = try await BenchService.with(program: program, at: url) { _ in try await settle(url) }
        try await TestPsql(server).run("ANALYZE", at: url)
    }

    /// Every link and exception must be as planted.
    private func score(_ count: Int, _ lines: Int, _ url: String) async throws {
        var expected: [String: Int] = [:]
        for number in 0..<count {
            if let fault = Fault.of(number) { expected[fault.exceptionClass, default: 0] += 1 }
        }
        for (name, wanted) in expected {
            let sql = "SELECT count(*) FROM read_reconciliation.exceptions WHERE status = 'open' AND class = '\(name)'"
            let found = try await number(sql, url)
            guard found == wanted else { throw LoadFailure("\(found) of \(wanted) are \(name)") }
        }
        let all = try await number("SELECT count(*) FROM read_reconciliation.exceptions WHERE status = 'open'", url)
        guard all == expected.values.reduce(0, +) else { throw LoadFailure("\(all) exceptions were raised") }
        let right = """
            SELECT count(*) FROM read_reconciliation.links k JOIN read_statements.lines l USING (tenant)
            WHERE k.until IS NULL AND l.id = k.line AND k.transaction
                = ('00000000-0000-8000-8000-' || lpad(to_hex(substr(l.processor_id, 3)::int8), 12, '0'))::uuid
            """
        let unmatched = [Fault.noLine, .noMovement, .otherAmount, .otherCurrency]
            .reduce(0) { $0 + expected[$1.exceptionClass, default: 0] }
        let links = try await number("SELECT count(*) FROM read_reconciliation.links WHERE until IS NULL", url)
        let rightLinks = try await number(right, url)
        guard links == count + 1 - unmatched, rightLinks == links else {
            throw LoadFailure("\(links) links, \(rightLinks) of them right, of \(count + 1 - unmatched)")
        }
    }
}
