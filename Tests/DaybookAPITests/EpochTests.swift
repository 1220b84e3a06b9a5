import Canonical
import Composition
import DaybookTestKit
import EventLog
import Testing

/// Positions and cursors of a log that was adopted after it lost events.
@Suite struct EpochTests {
    @Test func positionsOfAnotherEpochAreRefused() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let before = try await caller.post("bridgepay", Sample.named("Authorisation").record)
            let number = try #require(before.fields["daybook-position"])
            #expect(Int64(number) != nil)
            let page = try await caller.get("/v1/events?limit=1").json["next"]?.string
            let cursor = try #require(page)
            try await TestLog.adopt(at: api.url)

            let after = try await caller.post("bridgepay", Sample.named("MSR sale").record)
            let position = try #require(after.fields["daybook-position"])
            #expect(position.hasPrefix("1-"))
            let id = try #require(try after.json["transaction"]?.string)
            // The read models have passed the event with which the epoch begins.
            #expect(try await caller.get("/v1/transactions/\(id)?min_position=\(position)").status == 200)
            #expect(try await caller.get("/v1/log").json["epoch"]?.int64 == 1)
            let next = try #require(try await caller.get("/v1/events?limit=1").json["next"]?.string)
            #expect(try await caller.get("/v1/events?limit=1&cursor=\(next)").status == 200)

            for target in [
                "/v1/transactions/\(id)?min_position=\(number)", "/v1/transactions?min_position=2-1",
                "/v1/events?limit=1&cursor=\(cursor)", "/v1/transactions?min_position=0",
                "/v1/events?after=\(number)", "/v1/events?after=2-1", "/v1/events/stream?up_to=4&after=\(number)",
            ] {
                let refused = try await caller.get(target)
                #expect(refused.status == 410 && refused.code == "other-epoch", "\(target)")
            }
            let stream = "/v1/events/stream?up_to=4"
            for last in [number, "2-3"] {
                #expect(try await caller.get(stream, ["Last-Event-ID": last]).code == "other-epoch", "\(last)")
            }
            let ids = try await caller.get(stream, ["Last-Event-ID": "1-1"]).events.compactMap(\.id)
            #expect(ids == ["1-2", "1-3"])
            #expect(try await caller.get("\(stream)&after=1-1").events.compactMap(\.id) == ids)
            let listed = try await caller.get("/v1/events?up_to=4&after=1-1").json["items"]?.array
            #expect(listed?.compactMap { $0["position"]?.int64 } == [2, 3])
            // A feed continues from the position of its page. A moment is one of the log as it is, or of its epoch.
            let end = try await caller.get("/v1/events?after=1-1").fields["daybook-position"]
            #expect(end == position)
            #expect(try await caller.get("/v1/events?after=\(position)").json["items"] == [])
            for moment in [String(position.dropFirst(2)), position] {
                #expect(try await caller.get("/v1/transactions/\(id)?as_of_position=\(moment)").status == 200)
            }
            #expect(try await caller.get("/v1/transactions/\(id)?as_of_position=2-4").code == "other-epoch")
            // 0 is the beginning of the log in every epoch.
            #expect(try await caller.get("/v1/events?up_to=4&after=0").json["items"]?.array?.count == 3)
            #expect(try await caller.get("\(stream)&after=0").events.compactMap(\.id) == ["1-1", "1-2", "1-3"])
        }
    }

    @Test func aPositionBeyondTheEndIsRefusedAtOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            _ = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            for position in ["4", "9223372036854775807"] {
                let refused = try await caller.get("/v1/transactions?min_position=\(position)")
                #expect(refused.status == 400 && refused.code == "position-beyond-end", "\(position)")
                let stream = try await caller.get("/v1/events/stream?up_to=3", ["Last-Event-ID": position])
                #expect(stream.code == "position-beyond-end", "\(position)")
                for target in ["/v1/events?after=\(position)", "/v1/events/stream?up_to=3&after=\(position)"] {
                    let after = try await caller.get(target)
                    #expect(after.status == 400 && after.code == "position-beyond-end", "\(target)")
                }
            }
            #expect(try await caller.get("/v1/transactions?min_position=3").status == 200)
            for position in ["-1", "x:y", "0-3", "1-"] {
                #expect(try await caller.get("/v1/transactions?min_position=\(position)").code == "invalid-parameter")
            }
        }
    }

    @Test func anOpenStreamEndsInANewEpoch() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            _ = try await caller.take("bridgepay", Sample.named("Authorisation").record)
            let client = try await RawClient.connect(port: api.port)
            try await client.send(caller.request("GET", "/v1/events/stream?after=0"))
            _ = try await client.read(through: Array("\r\n\r\n".utf8))
            var text = ""
            while StreamedEvent.all(in: text).count < 3 {
                text += String(decoding: try #require(try await client.readChunk()), as: UTF8.self)
            }
            try await TestLog.adopt(at: api.url)
            while let chunk = try await client.readChunk() { text += String(decoding: chunk, as: UTF8.self) }
            #expect(StreamedEvent.all(in: text).map(\.id) == ["1", "2", "3"])
        }
    }

    @Test func aProcessThatOnlyReadsNoticesAnAdoption() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            #expect(try await caller.get("/v1/transactions?min_position=0").status == 200)
            try await TestLog.adopt(at: api.url)
            let answer = try await eventually {
                try await caller.get("/v1/transactions?min_position=0")
            } is: {
                $0.status != 200
            }
            #expect(answer.code == "other-epoch")
        }
    }

    /// A process without keys and witness has nothing to compare the log with.
    @Test func theFirstRequestProvesALogWithoutEvidence() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            #expect(!api.ledger.log.logGuard.isProven)
            #expect(try await caller.get("/v1/transactions").status == 200)
            #expect(api.ledger.log.logGuard.isProven)
        }
    }
}
