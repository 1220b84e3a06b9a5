import DaybookTestKit

/// Line f: reads of the read models and of past positions.
extension Bench {
    /// The goal of a figure.
    private struct Target {
        /// A share of the rate of `/healthz`.
        var ratio: Double?
        /// The 99th percentile in milliseconds, at most.
        var p99: Double?

        func verdict(_ outcome: LoadGenerator.Outcome, _ hello: Double) -> String {
            let latency = Double(outcome.quantile(0.99)) / 1000
            let parts =
                [ratio.map { ("\($0)", outcome.rate / hello >= $0) }, p99.map { ("p99 \(Int($0)) ms", latency < $0) }]
            return parts.compactMap { $0 }.map { "\($0.0): \($0.1 ? "reached" : "missed")" }.joined(separator: ", ")
        }
    }

    private struct Asked {
        var what: String
        var outcome: LoadGenerator.Outcome
        /// The rate of `/healthz` with the same connections.
        var hello: Double
        var target: Target
    }

    mutating func read() async throws {
        let url = try await stored()
        var exported: ListReading?
        let (asked, memory) = try await BenchService.with(program: program, at: url) { service in
            let sql = "SELECT id FROM read_transactions.transactions WHERE status = 'captured' LIMIT 1"
            let id = try await TestPsql(server).run(sql, at: url).filter { !$0.isWhitespace }
            let story = try await tellStory(service)
            try await settle(url)
            let filters = "status=captured&vendor=bridgepay"
            let past = "\(story)?as_of_position=\(try await number("SELECT position FROM ledger.head", url))"
            let questions: [(String, path: String, accept: String?, connections: Int, Target)] = [
                ("one transaction", "/v1/transactions/\(id)", nil, 32, Target(ratio: 0.5, p99: 20)),
                (
                    "a page of 50 transactions by two filters", "/v1/transactions?limit=50&\(filters)", nil, 32,
                    Target(ratio: 0.15)
                ),
                ("a receipt as text", "/v1/transactions/\(id)/receipt", "text/plain", 32, Target(ratio: 0.4)),
                ("a transaction of 30 events as of the last", past, nil, 1, Target(p99: 10)),
            ]
            var asked: [Asked] = []
            for (what, path, accept, connections, target) in questions {
                // Measured beside each figure, because machines drift.
                let hello = try await get("/healthz", nil, connections, service).rate
                let outcome = try await get(path, accept, connections, service)
                let clients = "\(connections) connection\(connections == 1 ? "" : "s")"
                asked.append(Asked(what: "\(what), \(clients)", outcome: outcome, hello: hello, target: target))
            }
            exported = try await export(
                service,
                rows: number("SELECT count(*) FROM read_transactions.transactions", url)
            )
            return asked
        }
        for one in asked {
            add(
                BenchRow(
                    line: "f",
                    what: "GET of \(one.what)",
                    figure: Figure.rate(one.outcome.rate, "")
                        + "; p50 \(Figure.milliseconds(Double(one.outcome.quantile(0.5)))), "
                        + "p99 \(Figure.milliseconds(Double(one.outcome.quantile(0.99))))",
                    ceiling: "\(Figure.rate(one.hello, "")) (/healthz)",
                    ratio: Figure.ratio(one.outcome.rate, one.hello),
                    memory: "\(memory) MiB",
                    target: one.target.verdict(one.outcome, one.hello)
                )
            )
        }
        if let exported { add(exported.row) }
    }

    /// Exports all transactions, and before that a tenth of them: the memory must be the same.
    private func export(_ service: BenchService, rows: Int) async throws -> ListReading {
        func reading(_ lines: Int) async throws -> (ListReading.Outcome, memory: Int) {
            service.restartPeak()
            let outcome = try await onThread {
                try ListReading.run(service.port, service.key, "/v1/transactions", lines: lines)
            }
            return (outcome, service.peakMebibytes)
        }
        let some = try await reading(max(1, rows / 10))
        let all = try await reading(.max)
        guard all.0.lines == rows else { throw LoadFailure("of \(rows) rows \(all.0.lines) were exported") }
        return ListReading(outcome: all.0, memory: all.memory, memoryOfTenth: some.memory)
    }

    private func get(
        _ path: String,
        _ accept: String?,
        _ connections: Int,
        _ service: BenchService
    ) async throws -> LoadGenerator.Outcome {
        let accept = accept.map { "Accept: \($0)\r\n" } ?? ""
        let request = Array(
            "GET \(path) HTTP/1.1\r\nHost: bench\r\n\(accept)Authorization: Bearer \(service.key)\r\n\r\n".utf8
        )
        let generator = LoadGenerator(port: service.port, connections: connections)
        let seconds = self.seconds
        let outcome = try await onThread {
            try generator.run(warmUp: seconds / 4, seconds: seconds) { $0 = request }
        }
        try outcome.check(recordsEach: 1)
        return outcome
    }

    /// A payment of thirty events: progress reports of a reader.
    private func tellStory(_ service: BenchService) async throws -> String {
        let id = "0198c1c2-6a00-7000-8000-000000000001"
        let event = """
            {"type":"CardRequested","schema":1,"occurredAt":"2026-01-02T03:04:05.000006Z","data":\
            {"reader":{"vendor":"handpoint","serial":"0123"},"response":{}}}
            """
        let events = Array(repeating: event, count: 30).joined(separator: ",")
        let template = RequestTemplate(
            path: "/v1/events",
            type: "application/json",
            key: service.key,
            lines: ["{\"stream\":\"transaction/\(id)\",\"idempotencyKey\":\"story\",\"events\":[\(events)]}"]
        )
        let generator = LoadGenerator(port: service.port, connections: 1)
        let outcome = try await onThread {
            try generator.run(warmUp: 0, seconds: 0) { template.write(from: 1, to: &$0) }
        }
        try outcome.check(recordsEach: 1)
        return "/v1/transactions/\(id)"
    }
}
