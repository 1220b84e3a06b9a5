import BenchReport
import DaybookTestKit
import Postgres

/// Line l: the time until a recorded document can be read, and the cost of an idle service.
extension Bench {
    /// The average number of events of a vendor document is 4.5.
    private static let documentsPerSecond = 225

    mutating func lag() async throws {
        let seconds = self.seconds
        let found: Found = try await server.withDatabase("lag") { url in
            try await BenchService.with(program: program, at: url) { service in
                let idle = try await idleCost(service, url)
                let before = try await number("SELECT position FROM ledger.head", url)
                let waits = try await waits(service, seconds: seconds)
                let reported = try await number("SELECT position FROM ledger.head", url) - before
                return Found(idle: idle, waits: waits, eventsPerSecond: Double(reported) / seconds)
            }.0
        }
        let idle = found.idle
        let sorted = found.waits.sorted()
        func quantile(_ part: Double) -> Double { Double(sorted[Int(Double(sorted.count - 1) * part)]) }
        add(
            BenchRow(
                line: "l",
                what: "from an answer to a read that contains it, at \(Figure.rate(found.eventsPerSecond, "events"))",
                figure: "p50 \(Figure.milliseconds(quantile(0.5))), p99 \(Figure.milliseconds(quantile(0.99))), "
                    + "longest \(Figure.milliseconds(quantile(1)))",
                target: "50 ms: \(quantile(0.99) < 50_000 ? "reached" : "missed") by p99"
            )
        )
        add(
            BenchRow(
                line: "l",
                what: "idle service",
                figure: "\(Figure.milliseconds(idle.processor)) of CPU and \(idle.transactions) transactions a second"
            )
        )
    }

    private struct Found: Sendable {
        var idle: Idle
        /// Microseconds.
        var waits: [UInt64]
        var eventsPerSecond: Double
    }

    private struct Idle: Sendable {
        /// Microseconds per second.
        var processor: Double
        var transactions: String
    }

    private func idleCost(_ service: BenchService, _ url: String) async throws -> Idle {
        let committed = "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        // The work of the start is over when the checkpointer finds nothing new to sign.
        try await Task.sleep(for: .seconds(2))
        let before = (service.processorMicroseconds, try await number(committed, url))
        try await Task.sleep(for: .seconds(max(4, seconds)))
        let after = (service.processorMicroseconds, try await number(committed, url))
        let transactions = Double(after.1 - before.1) / max(4, seconds)
        return Idle(
            processor: (after.0 - before.0) / max(4, seconds),
            transactions: Figure.grouped(Int(transactions.rounded()))
        )
    }

    /// Sends documents at a steady rate, and after every tenth reads a page that contains it.
    ///
    /// - Returns: The time of each page, in microseconds.
    private func waits(_ service: BenchService, seconds: Double) async throws -> [UInt64] {
        let template = RequestTemplate(
            path: "/v1/intake/bridgepay",
            type: "application/json",
            key: service.key,
            lines: [try BenchRecords.document()]
        )
        let sending = try await RawClient.connect(port: service.port)
        let reading = try await RawClient.connect(port: service.port)
        let start = LoadGenerator.now()
        var waits: [UInt64] = []
        var request: [UInt8] = []
        for document in 0..<Int(Double(Self.documentsPerSecond) * seconds) {
            let due = start + UInt64(document) * 1_000_000 / UInt64(Self.documentsPerSecond)
            let now = LoadGenerator.now()
            if now < due { try await Task.sleep(for: .microseconds(Int64(due - now))) }
            template.write(from: 700_000_000 + UInt64(document), to: &request)
            try await sending.send(request)
            let answer = try await sending.readResponse()
            guard answer.status == 201, let position = answer.fields["daybook-position"] else {
                throw LoadFailure("a document was answered \(answer.status)")
            }
            guard document % 10 == 9 else { continue }
            let requested = LoadGenerator.now()
            try await reading.send(
                "GET /v1/transactions?limit=1&min_position=\(position) HTTP/1.1\r\nHost: bench\r\n"
                    + "Authorization: Bearer \(service.key)\r\n\r\n"
            )
            let page = try await reading.readResponse()
            guard page.status == 200 else { throw LoadFailure("a page was answered \(page.status)") }
            waits.append(LoadGenerator.now() - requested)
        }
        return waits
    }
}
