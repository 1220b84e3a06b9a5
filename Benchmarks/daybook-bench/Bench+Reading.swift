import Canonical
import DaybookTestKit
import EventLog
import Ledger
import Logging
import Postgres

/// Lines e and f: what is made of the log.
extension Bench {
    /// How many documents the log of these lines is made of.
    private var stored: Int { isQuick ? 5_000 : documents }

    mutating func rebuild() async throws {
        let figures = try await server.withDatabase("rebuild") { url in
            _ = try await BenchService.with(program: program, at: url) { try await fill($0, url) }
            let events = try await count(url)
            var figures: [(name: String, rate: Double, memory: Int)] = []
            for name in ["transactions", "receipts", "batches", "readers"] {
                let command = try await BenchCommand.run(program, ["rebuild", name, "--database-url", url])
                figures.append((name, Double(events) / command.seconds, command.peakMebibytes))
            }
            return figures
        }
        let ceiling = try await Ceilings(server: server).copy(rows: isQuick ? 100_000 : 1_000_000)
        for (name, rate, memory) in figures {
            add(
                BenchRow(
                    line: "e",
                    what: "rebuild of \(name)",
                    figure: Figure.rate(rate, "events"),
                    ceiling: "\(Figure.rate(ceiling, "rows")) (COPY)",
                    ratio: Figure.ratio(rate, ceiling),
                    memory: "\(memory) MiB"
                )
            )
        }
    }

    mutating func read() async throws {
        let (outcomes, memory) = try await server.withDatabase("reading") { url in
            try await BenchService.with(program: program, at: url) { service in
                try await fill(service, url)
                let sql = """
                    SELECT substr(stream, 13) FROM ledger.events WHERE stream LIKE 'transaction/%'
                    AND type = 'Captured' LIMIT 1
                    """
                let id = try await TestPsql(server).run(sql, at: url).filter { !$0.isWhitespace }
                let story = try await tellStory(service)
                var outcomes: [(what: String, outcome: LoadGenerator.Outcome)] = []
                func measure(_ what: String, _ path: String, _ accept: String? = nil, connections: Int = 32)
                    async throws
                {
                    let outcome = try await get(path, accept, connections, service)
                    outcomes.append(("\(what), \(connections) connection\(connections == 1 ? "" : "s")", outcome))
                }
                try await measure("hello", "/healthz")
                try await measure("one transaction", "/v1/transactions/\(id)")
                let filters = "status=captured&vendor=bridgepay"
                try await measure("a page of 50 transactions with two filters", "/v1/transactions?limit=50&\(filters)")
                try await measure("a receipt as text", "/v1/transactions/\(id)/receipt", "text/plain")
                let past = "\(story)?as_of_position=\(try await count(url))"
                try await measure("a transaction of 30 events as of the last", past, connections: 1)
                return outcomes
            }
        }
        let hello = outcomes[0].outcome.rate
        for (what, outcome) in outcomes.dropFirst() {
            add(
                BenchRow(
                    line: "f",
                    what: "GET of \(what)",
                    figure: Figure.rate(outcome.rate, "")
                        + "; p50 \(Figure.milliseconds(Double(outcome.quantile(0.5)))), "
                        + "p99 \(Figure.milliseconds(Double(outcome.quantile(0.99))))",
                    ceiling: "\(Figure.rate(hello, "")) (/healthz, 32 connections)",
                    ratio: Figure.ratio(outcome.rate, hello),
                    memory: "\(memory) MiB"
                )
            )
        }
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

    /// A payment of thirty events: what a reader tells while a card is looked for.
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
            lines: ["{\"stream\":\"transaction/\(id)\",\"events\":[\(events)]}"]
        )
        let generator = LoadGenerator(port: service.port, connections: 1)
        let outcome = try await onThread {
            try generator.run(warmUp: 0, seconds: 0) { template.write(from: 1, to: &$0) }
        }
        try outcome.check(recordsEach: 1)
        return "/v1/transactions/\(id)"
    }

    /// Takes documents in and waits until the read models have them.
    private func fill(_ service: BenchService, _ url: String) async throws {
        let template = RequestTemplate(
            path: "/v1/intake/bridgepay",
            type: "application/x-ndjson",
            key: service.key,
            lines: try BenchRecords.documents(500)
        )
        let generator = LoadGenerator(port: service.port, connections: 1, mark: "\"status\":201")
        let requests = stored / 500
        _ = try await onThread {
            var number: UInt64 = 100_000_000
            for _ in 0..<requests {
                _ = try generator.run(warmUp: 0, seconds: 0) { request in
                    template.write(from: number, to: &request)
                    number += 500
                }
            }
        }
        let behind = """
            SELECT count(*) FROM projection.checkpoints c, ledger.head h WHERE c.is_live AND c.position < h.position
            """
        while try await TestPsql(server).run(behind, at: url).filter({ !$0.isWhitespace }) != "0" {
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    private func count(_ url: String) async throws -> Int {
        Int(try await TestPsql(server).run("SELECT position FROM ledger.head", at: url).filter(\.isNumber)) ?? 0
    }
}
