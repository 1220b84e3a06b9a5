import Canonical
import DaybookTestKit
import PostgresCluster
import Testing

/// These tests put the machine under load, so they run one after the other.
@Suite(.serialized) enum UnderLoad {
    @Suite struct CrashTests {
        /// Service and database are killed in turn, at moments chosen by a seed; the client only resends what was not
        /// acknowledged.
        @Test func everyAcknowledgedRecordIsRecordedOnceDespiteKills() async throws {
            var random = SeededGenerator.forTest()
            let plan = LoadPlan(distinct: 9_500, repeats: 500, random: &random)
            try await PrivateServer.with { cluster, url in
                try await Daybook.with(environment: ["DATABASE_URL": url]) { daybook in
                    let key = try await daybook.key()
                    let first = try await daybook.serve()
                    let load = Load(plan.records, port: first.port, key: key, streamed: 1_500)
                    async let delivery: Void = load.run()
                    do {
                        var server = first
                        for (quarter, victim) in [Victim.service, .database, .service, .database].enumerated() {
                            let moment = quarter * 2_400 + Int.random(in: 200..<2_400, using: &random)
                            await load.acknowledged(atLeast: moment)
                            switch victim {
                            case .service:
                                try await server.process.kill()
                                server = try await daybook.serve(port: first.port)
                            case .database:
                                try await PostgresProcesses(of: cluster).kill()
                                // The server continues with the existing lease, at the same socket.
                                await (try await cluster.start()).release()
                            }
                        }
                        await delivery
                        try await check(load, plan, server: server, key: key, url: url)
                        #expect(try await server.stop() == 0)
                    } catch {
                        load.abandon()
                        throw error
                    }
                }
            }
        }

        private enum Victim { case service, database }

        private func check(_ load: Load, _ plan: LoadPlan, server: RunningServer, key: String, url: String) async throws
        {
            #expect(load.unexpected == [])
            #expect(load.retries > 0, "nothing was cut off")
            let audit = try await LogAudit(url: url)
            #expect(audit.faults == [])
            #expect(try audit.faults(of: load.acknowledgements, to: plan.records) == [])
            #expect(audit.documents.count == plan.distinct)
            #expect(audit.documents.values.allSatisfy { $0.count == 1 })

            // The same over the API: every document once, and the money correct to the cent.
            let client = server.client(key)
            let documents = try await client.all("/v1/events?type=DocumentReceived&limit=1000")
            let devices = documents.compactMap { $0["data"]?["device"]?.string }
            #expect(devices.count == plan.distinct)
            #expect(Set(devices) == Set(plan.records.map(\.marker)))
            #expect(try await client.net(after: audit.events.count) == plan.net)
        }
    }
}

/// Records in the order in which they are sent, some of them twice.
struct LoadPlan: Sendable {
    let records: [SampleRecord]
    let distinct: Int
    /// The net of all of them, in cents.
    let net: Int64

    init(distinct: Int, repeats: Int, series: Int = 1, random: inout SeededGenerator) {
        var samples = SampleRecords(series: series, random: SeededGenerator(seed: random.next()))
        var records = samples.make(distinct)
        net = records.reduce(0) { $0 + $1.net }
        for _ in 0..<repeats {
            let again = records[Int.random(in: 0..<records.count, using: &random)]
            records.insert(again, at: Int.random(in: 0..<records.count, using: &random))
        }
        self.records = records
        self.distinct = distinct
    }
}

extension APIClient {
    /// The net of all batches in US cents, once they contain the log up to `position`.
    func net(after position: Int) async throws -> Int64 {
        let batches = try await all("/v1/batches?limit=1000&min_position=\(position)")
        return batches.flatMap { $0["net"]?.array ?? [] }.reduce(0) { $0 + ($1["value"]?.int64 ?? 0) }
    }
}
