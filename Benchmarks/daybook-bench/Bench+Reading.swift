import BenchReport
import DaybookTestKit
import Foundation

/// Line f: reads of the read models and of past positions.
extension Bench {
    /// The goal of a figure.
    private struct Target: Sendable {
        /// A share of the rate of `/healthz`.
        var ratio: Double?
        /// The 99th percentile in milliseconds, at most.
        var p99: Double?

        func verdict(_ read: WrkReport, _ hello: Double) -> String {
            let latency = read.p99Microseconds / 1000
            let parts =
                [ratio.map { ("\($0)", read.rate / hello >= $0) }, p99.map { ("p99 \(Int($0)) ms", latency < $0) }]
            let verdicts = parts.compactMap { $0 }.map { "\($0.0): \($0.1 ? "reached" : "missed")" }
            return verdicts.isEmpty ? "-" : verdicts.joined(separator: ", ")
        }
    }

    private struct Question: Sendable {
        var what: String
        var paths: [String]
        var accept: String?
        var hasProof = false
        var connections = 32
        var target = Target()
    }

    private struct Answer: Sendable {
        var question: Question
        var read: WrkReport
        /// The rate of `/healthz` with the same connections.
        var hello: Double
    }

    mutating func read() async throws {
        guard let wrk else { return }
        let url = try await stored()
        var exported: ListReading?
        // Without it no checkpoint proves a receipt.
        let arguments = ["--log-key", try await logKey()]
        let (answers, memory) = try await BenchService.with(program: program, at: url, arguments: arguments) {
            service in
            let questions = try await questions(service, url)
            var answers: [Answer] = []
            for question in questions {
                try await check(question, service)
                // Measured beside each figure, because machines drift.
                let health = Question(what: "", paths: ["/healthz"], connections: question.connections)
                answers.append(
                    try await repetitions.median(by: { $0.read.rate / $0.hello }) {
                        let hello = try await ask(health, wrk, service).rate
                        return Answer(question: question, read: try await ask(question, wrk, service), hello: hello)
                    }
                )
            }
            exported = try await export(
                service,
                rows: number("SELECT count(*) FROM read_transactions.transactions", url)
            )
            return answers
        }
        for answer in answers {
            let (read, connections) = (answer.read, answer.question.connections)
            add(
                BenchRow(
                    line: "f",
                    what: "GET of \(answer.question.what), \(connections) connection\(connections == 1 ? "" : "s")",
                    figure: Figure.rate(read.rate, "")
                        + "; p50 \(Figure.milliseconds(read.p50Microseconds)), "
                        + "p99 \(Figure.milliseconds(read.p99Microseconds))",
                    comparison: "\(Figure.rate(answer.hello, "")) (/healthz)",
                    ratio: Figure.ratio(read.rate, answer.hello),
                    memory: "\(memory) MiB",
                    target: answer.question.target.verdict(read, answer.hello)
                )
            )
        }
        if let exported { add(exported.row) }
    }

    /// The key file of the stored log, which is kept with its database.
    private func logKey() async throws -> String {
        let file = server.directory + "/log.key"
        guard !FileManager.default.fileExists(atPath: file) else { return file }
        let made = try await ChildProgram.run(program, ["keys", "log", "--log-key", file, "--origin", "bench"])
        guard made.succeeded else { throw LoadFailure(made.standardError) }
        return file
    }

    /// Every read of a payment is measured twice: from the caches of the service, and past them.
    private func questions(_ service: BenchService, _ url: String) async throws -> [Question] {
        let story = try await tellStory(service)
        try await settle(url)
        let position = try await number("SELECT position FROM ledger.head", url)
        let payments = try await capturedPayments(url)
        let reads: [(String, path: String, accept: String?, Target)] = [
            ("a payment", "", nil, Target(ratio: 0.5, p99: 20)),
            ("a receipt as text", "/receipt", "text/plain", Target(ratio: 0.4)),
            ("a receipt as JSON with proof", "/receipt", "application/json", Target()),
        ]
        let count = Figure.grouped(payments.count)
        let spreads = [
            ("hit: the same 10 of \(count) payments", payments.prefix(10)),
            ("miss: \(count) payments in turn", payments[...]),
        ]
        let ofPayments = reads.flatMap { what, path, accept, target in
            spreads.map { spread, payments in
                Question(
                    what: "\(what), \(spread)",
                    paths: payments.map { "/v1/transactions/\($0)\(path)" },
                    accept: accept,
                    hasProof: what.hasSuffix("proof"),
                    target: target
                )
            }
        }
        return ofPayments + [
            Question(
                what: "a page of 50 transactions by two filters",
                paths: ["/v1/transactions?limit=50&status=captured&vendor=bridgepay"],
                target: Target(ratio: 0.15)
            ),
            Question(
                what: "a transaction of 30 events as of the last",
                paths: ["\(story)?as_of_position=\(position)"],
                connections: 1,
                target: Target(p99: 10)
            ),
            Question(
                what: "the trial balance by account and part",
                paths: ["/v1/trial-balance?by=account,part"],
                connections: 1,
                target: Target(p99: 50)
            ),
        ]
    }

    /// The captured payments in a random order; at most 200,000, which are more than are read in a run.
    private func capturedPayments(_ url: String) async throws -> [String] {
        try await withTemporaryDirectory(prefix: "bench") { directory in
            let file = directory + "/payments"
            let sql = """
                SELECT id FROM read_transactions.transactions WHERE status = 'captured' ORDER BY random() LIMIT 200000
                """
            try await TestPsql(server).run(sql, at: url, to: file)
            return try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
        }
    }

    /// Reads the first and the last path of a question, and waits for the checkpoint that proves them if necessary.
    private func check(_ question: Question, _ service: BenchService) async throws {
        let client = try await RawClient.connect(port: service.port)
        for path in [question.paths.first, question.paths.last].compactMap({ $0 }) {
            var isProven = !question.hasProof
            for attempt in 0... {
                try await client.send(
                    "GET \(path) HTTP/1.1\r\nHost: bench\r\nAccept: \(question.accept ?? "*/*")\r\n"
                        + "Authorization: Bearer \(service.key)\r\n\r\n"
                )
                let answer = try await client.readResponse()
                guard answer.status == 200 else {
                    throw LoadFailure("\(path) was answered \(answer.status): \(answer.body)")
                }
                isProven = isProven || answer.body.contains("\"proof\":{")
                if isProven { break }
                guard attempt < 100 else { throw LoadFailure("\(path) has no proof") }
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func ask(_ question: Question, _ wrk: Wrk, _ service: BenchService) async throws -> WrkReport {
        try await withTemporaryDirectory(prefix: "bench") { directory in
            let file = directory + "/paths"
            try writeText(question.paths.joined(separator: "\n") + "\n", to: file)
            return try await wrk.read(
                file,
                count: question.paths.count,
                accept: question.accept,
                connections: question.connections,
                seconds: seconds,
                service
            )
        }
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
