import Canonical
import DaybookTestKit
import EventLog
import HTTPEdge
import PostgresCluster
import ServiceLifecycle
import Testing

/// Answers while the database or a read model is unavailable.
@Suite struct OutageTests {
    /// Disconnects the database, or makes it reachable again.
    private func setReachable(_ isReachable: Bool, _ api: TestAPI) async throws {
        let name = api.url.trimmingPrefix("postgresql:///").prefix { $0 != "?" }
        let other = try await TestDatabase.server().connectionString(database: "postgres")
        try await TestDatabase.psql("ALTER DATABASE \(name) ALLOW_CONNECTIONS \(isReachable)", at: other)
        guard !isReachable else { return }
        try await TestDatabase.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
            at: other
        )
    }

    /// Read models of an older version, which remain until those of this version are built.
    @Test func duringAnUpgradeReadsAnswerRetryLater() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let first = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let last = try #require(first["positions"]?.array?.last?.int64)
            #expect(try await caller.get("/v1/batches?min_position=\(last)").status == 200)
            try await TestDatabase.psql("ALTER TABLE read_batches.batches DROP COLUMN requested", at: api.url)
            let answer = try await caller.get("/v1/batches")
            #expect(answer.status == 503 && answer.code == "projection-behind")
            #expect(answer.fields["retry-after"] == "5")
            #expect(try await caller.get("/v1/transactions").status == 200)
        }
    }

    /// The answer to a record. On a busy machine the first one can take longer than the short deadlines of these tests.
    private func recorded(_ record: JSONValue, by caller: Caller) async throws -> JSONValue {
        try await eventually {
            try await caller.post("bridgepay", record)
        } is: {
            $0.status == 200 || $0.status == 201
        }.json
    }

    @Test func withoutADatabaseTheOutcomeIsStated() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock, acquireTimeout: .seconds(5), { $0.requestDeadline = .seconds(2) }) {
            api in
            // The clock does not advance, so the key stays cached and every answer comes from the route.
            let caller = try await api.caller()
            let first = try await recorded(Sample.named("MSR sale").record, by: caller)
            let id = try #require(first["transaction"]?.string)
            try await setReachable(false, api)
            for path in [
                "/v1/transactions", "/v1/transactions/\(id)", "/v1/batches", "/v1/events", "/v1/projections", "/v1/log",
                "/v1/log/checkpoint", "/v1/events/1/proof",
            ] {
                let answer = try await caller.get(path)
                #expect(answer.status == 503, "\(path)")
                #expect(answer.code == "database-unavailable" || answer.code == "request-timeout")
                #expect(try answer.json["retryable"] == true)
            }
            let sale = try Sample.named("EMV sale").record
            let posted = try await caller.post("bridgepay", sale)
            #expect(posted.status == 503)
            #expect(try posted.json["outcome"] != nil)
            let refused = try await caller.post("bridgepay", ["kind": "Nothing", "body": [:]])
            // A refusal is not final until its trace is stored.
            #expect(refused.status == 503)
            #expect(try await caller.get("/healthz").status == 200)
            // A busy machine may answer once with its deadline; the next answer gives the reason.
            let unready = try await eventually {
                try await caller.get("/readyz")
            } is: {
                try $0.json["reason"] != nil
            }
            #expect(unready.status == 503)
            #expect(try unready.json == ["status": "not-ready", "reason": "database-unavailable"])
            try await setReachable(true, api)
            let answer = try await eventually {
                try await caller.post("bridgepay", sale)
            } is: {
                $0.status == 201
            }
            #expect(try answer.json["events"]?.strings.count == 4)
            let ready = try await eventually {
                try await caller.get("/readyz")
            } is: {
                $0.status == 200
            }
            #expect(ready.status == 200)
            let types = try await api.events().map(\.type)
            #expect(types.count { $0 == "Captured" } == 2)
        }
    }

    /// An append waits for its database only while the ledger runs.
    @Test func aClosingLedgerStopsWaitingForItsDatabase() async throws {
        let clock = ManualClock()
        try await TestAPI.serve(clock: clock, { $0.requestDeadline = .seconds(1) }) { api in
            let caller = try await api.caller()
            _ = try await recorded(Sample.named("MSR sale").record, by: caller)
            try await setReachable(false, api)
            let answer = try await caller.post("bridgepay", try Sample.named("EMV sale").record)
            #expect(answer.status == 503)
        }
    }

    /// A shutdown completes accepted requests; others are not in the log.
    @Test func aShutdownFinishesWhatWasAccepted() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let sale = try Sample.named("MSR sale")
            let records = (0..<60).map { number in
                sale.with("body", "BridgeCommResponse", "gatewayTransactionID", as: .string("8\(number)"))
                    .with("body", "BridgeCommResponse", "networkReferenceNumber", as: "")
                    .with("body", "BridgeCommResponse", "originalReferenceNumber", as: "").record
            }
            let answers = await withTaskGroup { group in
                for record in records {
                    // No answer: the connection was refused, or closed before the request was accepted.
                    group.addTask { try? await caller.post("bridgepay", record) }
                }
                var answers: [Answer?] = []
                for await answer in group {
                    if answers.isEmpty { await api.group.triggerGracefulShutdown() }
                    answers.append(answer)
                }
                return answers
            }
            let answered = answers.compactMap { $0 }
            #expect(answered.allSatisfy { $0.status == 201 || $0.status == 503 })
            let taken = answered.filter { $0.status == 201 }
            #expect(!taken.isEmpty)
            let ids = try taken.compactMap { try $0.json["transaction"]?.string }
            let events = try await api.events()
            let streams = Set(events.filter { $0.type == "Captured" }.map(\.stream))
            #expect(streams == Set(ids.map { "transaction/\($0)" }))
            #expect(events.map(\.position) == Array(1...Int64(taken.count * 4)))
            await #expect(throws: RawClient.Failure.self) { try await RawClient.connect(port: api.port) }
        }
    }

    @Test func readinessEndsBeforeTheConnections() async throws {
        // Long enough for a busy machine to get the answer; a fast one gets it at once and waits for the rest.
        try await TestAPI.serve({ $0.drainDelay = .seconds(5) }) { api in
            let first = try await api.stranger.get("/readyz")
            #expect(first.status == 200)
            await api.group.triggerGracefulShutdown()
            let last = try await eventually {
                try await api.stranger.get("/readyz")
            } is: {
                $0.status == 503
            }
            #expect(try last.json == ["status": "not-ready", "reason": "shutting-down"])
        }
    }
}
