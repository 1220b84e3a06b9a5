import BenchReport

/// Lines a and b: intake over HTTP.
extension Bench {
    mutating func bulk() async throws {
        let ceiling = try await naiveCeiling()
        for (records, connections) in [(500, 2), (50, 4)] {
            let (outcome, memory) = try await bulk("events", BenchRecords.events(records), "/v1/events", connections)
            add(
                BenchRow(
                    line: "a",
                    what: "events, \(records) a request, \(connections) connections",
                    figure: Figure.rate(outcome.rate, "events") + outcome.cost,
                    comparison: "\(Figure.rate(ceiling, "events")) (naive function)",
                    ratio: Figure.ratio(outcome.rate, ceiling),
                    memory: "\(memory) MiB"
                )
            )
        }
        for (records, connections) in [(50, 4), (500, 2)] {
            let lines = try BenchRecords.documents(records)
            let (outcome, memory) = try await bulk("documents", lines, "/v1/intake/bridgepay", connections)
            add(
                BenchRow(
                    line: "a",
                    what: "vendor documents, \(records) a request, \(connections) connections",
                    figure: Figure.rate(outcome.rate, "documents") + outcome.cost,
                    comparison: "\(Figure.rate(ceiling, "events")) (naive function)",
                    ratio: Figure.ratio(outcome.rate, ceiling),
                    memory: "\(memory) MiB"
                )
            )
        }
    }

    private func bulk(
        _ name: String,
        _ lines: [String],
        _ path: String,
        _ connections: Int
    ) async throws -> (LoadGenerator.Outcome, peakMebibytes: Int) {
        try await server.withDatabase("bulk_\(name)") { url in
            try await BenchService.with(program: program, at: url) { service in
                let template = RequestTemplate(
                    path: path,
                    type: "application/x-ndjson",
                    key: service.key,
                    lines: lines
                )
                let outcome = try await load(service, template, connections: connections, isStream: true)
                try outcome.check(recordsEach: lines.count)
                return outcome
            }
        }
    }

    mutating func single() async throws {
        for connections in [1, 8, 64] {
            let insert = try await Ceilings(server: server).singleRowInsert(clients: connections, seconds: seconds)
            let loads = [
                ("vendor document", "/v1/intake/bridgepay", try BenchRecords.document()),
                ("event", "/v1/events", BenchRecords.events(1)[0]),
            ]
            for (what, path, record) in loads {
                let (outcome, memory) = try await single(path, record, connections)
                add(singleRow("b", what, outcome, connections, memory, beside: insert, "pgbench INSERT"))
            }
        }
    }

    /// Sends one record a request to a fresh service.
    func single(
        _ path: String,
        _ record: String,
        _ connections: Int
    ) async throws -> (LoadGenerator.Outcome, peakMebibytes: Int) {
        try await server.withDatabase("single") { url in
            try await BenchService.with(program: program, at: url) { service in
                let template = RequestTemplate(
                    path: path,
                    type: "application/json",
                    key: service.key,
                    lines: [record]
                )
                let outcome = try await load(service, template, connections: connections, isStream: false)
                try outcome.check(recordsEach: 1)
                return outcome
            }
        }
    }

    /// - Parameter other: One record a transaction by another program.
    func singleRow(
        _ line: String,
        _ record: String,
        _ outcome: LoadGenerator.Outcome,
        _ connections: Int,
        _ memory: Int,
        beside other: PgbenchReport,
        _ name: String
    ) -> BenchRow {
        let quantiles = [0.5, 0.99, 0.999].map { Figure.milliseconds(Double(outcome.quantile($0))) }
        return BenchRow(
            line: line,
            what: "one \(record) a request, \(connections) connection\(connections == 1 ? "" : "s")",
            figure: Figure.rate(outcome.rate, "")
                + "; p50 \(quantiles[0]), p99 \(quantiles[1]), p99.9 \(quantiles[2])" + outcome.cost,
            comparison: Figure.rate(other.rate, "")
                + "; mean \(Figure.milliseconds(other.latencyMicroseconds)) (\(name))",
            ratio: Figure.ratio(outcome.rate, other.rate),
            memory: "\(memory) MiB"
        )
    }
}

extension LoadGenerator.Outcome {
    /// The processor time of the service for a record.
    var cost: String { "; \(Int(processorMicroseconds.rounded())) us of CPU each" }

    /// Fails if a record was refused, because the figure would be worthless.
    func check(recordsEach count: Int) throws {
        guard failed == 0, done == requests * count else {
            let problem = complaint ?? "no problem was reported"
            throw LoadFailure("of \(requests * count) records \(done) were accepted: \(problem)")
        }
    }
}
