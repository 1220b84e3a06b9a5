import BenchReport

/// Line m: events beside message-db.
extension Bench {
    mutating func besideMessageDB() async throws {
        guard let messageDB else { return }
        for (connections, clients) in [(1, 1), (8, 8), (64, 32)] {
            let (outcome, memory) = try await single("/v1/events", BenchRecords.events(1)[0], connections)
            for categories in MessageDB.Categories.allCases where clients > 1 || categories == .one {
                let written = try await messageDB.write(
                    clients: clients,
                    categories: categories,
                    seconds: seconds,
                    on: server
                )
                let peer = "message-db, \(clients) client\(clients == 1 ? "" : "s"), \(categories.rawValue)"
                add(singleRow("m", "event", outcome, connections, memory, beside: written, peer))
            }
        }
        let (rate, memory) = try await appendRate(batch: 50, callers: 1)
        let written = try await messageDB.writeTogether(50, seconds: seconds, on: server).rate * 50
        add(
            BenchRow(
                line: "m",
                what: "append without HTTP, 50 items a call, 1 at a time",
                figure: Figure.rate(rate, "events"),
                comparison: "\(Figure.rate(written, "events")) (message-db, 50 a transaction, 1 client)",
                ratio: Figure.ratio(rate, written),
                memory: "\(memory) MiB"
            )
        )
    }
}
