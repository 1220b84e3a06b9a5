import Canonical
import DaybookTestKit
import Testing

@Suite struct TwoServersTests {
    /// Both get every record at about the same time, as from an app that sends to both servers of a fail-over pair.
    @Test func twoServersOnOneDatabaseGiveTheSameAnswers() async throws {
        var random = SeededGenerator.forTest()
        let plan = LoadPlan(distinct: 700, repeats: 100, random: &random)
        try await Daybook.withDatabase { daybook, url in
            let key = try await daybook.key()
            let (left, right) = (try await daybook.serve(), try await daybook.serve())
            let loads = [left, right].map { Load(plan.records, port: $0.port, key: key, connections: 12) }
            await withTaskGroup(of: Void.self) { group in
                for load in loads { group.addTask { await load.run() } }
            }
            #expect(loads.flatMap(\.unexpected) == [])

            let audit = try await LogAudit(url: url)
            #expect(audit.faults == [])
            // Both gave the same answer to the same record, and one of them gave it first.
            let acknowledgements = loads.flatMap(\.acknowledgements)
            #expect(acknowledgements.count == 2 * plan.records.count)
            #expect(try audit.faults(of: acknowledgements, to: plan.records) == [])
            #expect(acknowledgements.count { !$0.isDuplicate } == plan.distinct)
            #expect(audit.documents.count == plan.distinct)
            for server in [left, right] {
                #expect(try await server.client(key).net(after: audit.events.count) == plan.net)
            }
            #expect(try await left.stop() == 0)
            #expect(try await right.stop() == 0)
        }
    }
}

@Suite struct RebuildTests {
    @Test func everyReadModelIsTheSameWhenRebuiltFromTheLog() async throws {
        var random = SeededGenerator.forTest()
        let plan = LoadPlan(distinct: 600, repeats: 40, random: &random)
        try await Daybook.withDatabase { daybook, _ in
            let key = try await daybook.key()
            let server = try await daybook.serve()
            let load = Load(plan.records, port: server.port, key: key, connections: 8)
            async let delivery: Void = load.run()
            // In the middle of the load, while the server writes its read models.
            await load.acknowledged(atLeast: 50)
            for name in [
                "transactions", "receipts", "batches", "portions", "readers", "anomalies", "checkouts", "merchants",
                "statements", "movements", "reconciliation", "replays", "journal",
            ] {
                try await expectEqual(try await daybook.json("rebuild", name), [name])
            }
            await delivery
            #expect(load.unexpected == [])

            let head = try await server.client(key).get("/v1/events?limit=1000&after=0")["items"]?.array?.count ?? 0
            #expect(head > 0)
            let all = [
                "transactions", "receipts", "batches", "portions", "readers", "anomalies", "checkouts", "merchants",
                "statements", "movements", "reconciliation", "replays", "journal",
            ]
            try await expectEqual(try await daybook.json("rebuild"), all)
            #expect(try await server.client(key).get("/v1/projections")["items"]?.array?.count == all.count)
            #expect(try await server.stop() == 0)
            let stopped = try await daybook.json("rebuild")
            try await expectEqual(stopped, all)
            let again = try await daybook.json("rebuild")
            #expect(again == stopped)
        }
    }

    private func expectEqual(_ reports: JSONValue, _ names: [String]) async throws {
        #expect(reports.array?.compactMap { $0["name"]?.string } == names)
        for report in reports.array ?? [] {
            #expect(report["equal"]?.bool == true, "\(report.text)")
            #expect(report["swapped"]?.bool == true)
            #expect((report["events"]?.int64 ?? 0) > 0)
            #expect(report["liveDigest"]?.string?.count == 64)
        }
    }
}

@Suite struct ShutdownTests {
    /// SIGTERM in the middle of a load: accepted requests are answered, and the exit is clean.
    @Test func aStoppingServerAnswersAcceptedRequests() async throws {
        var random = SeededGenerator.forTest()
        let plan = LoadPlan(distinct: 2_000, repeats: 0, random: &random)
        try await Daybook.withDatabase { daybook, url in
            let key = try await daybook.key()
            let server = try await daybook.serve()
            let load = Load(plan.records, port: server.port, key: key, connections: 16, streamed: 500)
            async let delivery: Void = load.run()
            await load.acknowledged(atLeast: Int.random(in: 50..<600, using: &random))
            #expect(try await server.stop() == 0)
            load.abandon()
            await delivery

            #expect(load.unexpected == [])
            let audit = try await LogAudit(url: url)
            #expect(audit.faults == [])
            #expect(try audit.faults(of: load.acknowledgements, to: plan.records) == [])
            // Nothing was recorded without an answer to its sender.
            let reported = Set(load.acknowledgements.map { plan.records[$0.record].marker })
            #expect(Set(audit.documents.keys).subtracting(reported) == [])
        }
    }
}
