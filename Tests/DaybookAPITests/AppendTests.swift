import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Payments
import Testing

/// `POST /v1/events`: events in the ledger's own form.
@Suite struct AppendTests {
    private static let bulk = ["Content-Type": "application/x-ndjson"]

    private func event(_ type: String = "DrawerOpened", id: String? = nil, data: JSONValue = ["by": "A"]) -> JSONValue {
        var event: JSONObject = [
            "type": .string(type), "schema": 1, "occurredAt": "2026-01-02T08:00:00Z", "data": data,
        ]
        if let id { event["id"] = .string(id) }
        return .object(event)
    }

    private func record(_ stream: String = "till/1", _ events: JSONValue..., with more: JSONObject = [:]) -> JSONValue {
        var record: JSONObject = ["stream": .string(stream), "events": .array(events)]
        for member in more { record[member.key] = member.value }
        return .object(record)
    }

    private func append(
        _ caller: Caller,
        _ record: JSONValue,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Answer {
        try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/json"],
            body: record.text,
            location
        )
    }

    @Test func eventsAreRecorded() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let id = "0198C1C2-6A00-7000-8000-000000000001"
            let number = try JSONValue(parsing: "{\"n\": 1.0}")
            let answer = try await append(caller, record("till/1", event(id: id), event("DrawerClosed", data: number)))
            #expect(answer.status == 201)
            #expect(try answer.json == ["stream": "till/1", "positions": [1, 2], "redactions": []])
            #expect(answer.fields["daybook-position"] == "2")
            let events = try await api.events()
            #expect(events.map(\.type) == ["DrawerOpened", "DrawerClosed"])
            #expect(events.map(\.version) == [1, 2])
            #expect(events.map(\.data) == ["{\"by\":\"A\"}", "{\"n\":1.0}"])
            #expect(events[0].id.description == id.lowercased())
            #expect(events.allSatisfy { $0.tenant == "acme" && $0.actor.hasPrefix("key:") })
            #expect(try await caller.get("/v1/events/2").json["stream"] == "till/1")
        }
    }

    @Test func aDocumentInAnEventIsScrubbed() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let reported = event(
                "DocumentReceived",
                data: [
                    "vendor": "paydiant", "kind": "generateAccessCode", "redactions": [],
                    "document": ["length": 6, "string": "739142"],
                ]
            )
            let answer = try await append(caller, record("transaction/0198c1c2-6a00-7000-8000-000000000001", reported))
            #expect(answer.status == 201, "\(answer.body)")
            let note: JSONValue = [
                "path": "/events/0/data/document/string", "rule": "credential", "action": "dropped",
            ]
            #expect(try answer.json["redactions"] == [note])
            let data = try await api.events().map(\.data)
            #expect(data.count == 1 && data.allSatisfy { $0.contains("length") && !$0.contains("739142") })
        }
    }

    @Test func anUnexpectedVersionAppendsNothing() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            #expect(
                try await append(caller, record("till/1", event(), event(), with: ["expectedVersion": 0])).status == 201
            )
            let late = try await append(caller, record("till/1", event(), with: ["expectedVersion": 1]))
            #expect(late.status == 409)
            #expect(late.code == "version-conflict")
            #expect(try late.json["actualVersion"] == 2)
            #expect(try await append(caller, record("till/1", event(), with: ["expectedVersion": 2])).status == 201)
            #expect(try await append(caller, record("till/1", event())).status == 201)
            #expect(try await api.events().map(\.version) == [1, 2, 3, 4])
        }
    }

    @Test func aDuplicateRequestGetsTheFirstAnswer() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let data: JSONValue = ["pan": "4111111111111111"]
            let reported = record("till/1", event(data: data), with: ["expectedVersion": 0, "idempotencyKey": "k"])
            let first = try await append(caller, reported)
            let again = try await append(caller, reported)
            #expect(first.status == 201)
            #expect(again.body == first.body)
            #expect(again.fields["idempotency-replayed"] == "true")
            #expect(first.fields["idempotency-replayed"] == nil)
            let other = try await append(caller, record("till/1", event("Other"), with: ["idempotencyKey": "k"]))
            #expect(other.code == "idempotency-mismatch")
            // A vendor document under the same key is another request.
            let sale = try Sample.named("MSR sale").with("idempotencyKey", as: "k")
            #expect(try await caller.post(sale.vendor, sale.record).code == "idempotency-mismatch")
            #expect(try await api.events().count == 1)
        }
    }

    @Test func onlyEventsWithIDsAreDeduplicated() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let id = "0198c1c2-6a00-7000-8000-000000000001"
            let named = record("till/1", event(id: id))
            let first = try await append(caller, named)
            #expect(try await append(caller, named).body == first.body)
            let changed = record("till/1", event(id: id, data: ["by": "B"]))
            #expect(try await append(caller, changed).code == "idempotency-mismatch")
            for _ in 0..<2 { #expect(try await append(caller, record("till/1", event())).status == 201) }
            #expect(try await api.events().count == 3)
        }
    }

    @Test func recordsOfAStreamAreAnsweredInOrder() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            var lines = (0..<1200).map { number in
                record("till/\(number % 7)", event(data: ["n": .number(.init(Int64(number)))])).text
            }
            lines[3] = "{\"stream\":"
            lines[5] = "[]"
            lines[8] = record("tenant/acme", event()).text
            lines[13] = record("till/1", event(), with: ["expectedVersion": 99]).text
            let long = String(repeating: "x", count: 1 << 20)
            lines[17] = record("till/1", event(data: ["x": .string(long)])).text
            let answer = try await caller.send("POST", "/v1/events", Self.bulk, body: lines.joined(separator: "\n"))
            #expect(answer.status == 200)
            let status = try answer.lines.map { try JSONValue(parsing: $0) }
            #expect(status.map { $0["line"]?.int64 } == (1...1200).map { Int64($0) })
            let refused = [3: 400, 5: 400, 8: 422, 13: 409, 17: 413]
            #expect(status.indices.allSatisfy { status[$0]["status"]?.int64 == Int64(refused[$0] ?? 201) })
            let positions = status.compactMap { $0["answer"]?["positions"]?[0]?.int64 }
            #expect(positions.count == 1195)
            let events = try await api.events()
            for till in 0..<7 {
                let reported = events.filter { $0.stream == "till/\(till)" }.map(\.data)
                let sent = (0..<1200).filter { $0 % 7 == till && refused[$0] == nil }.map { "{\"n\":\($0)}" }
                #expect(reported == sent)
            }
        }
    }

    /// PostgreSQL limits the length of an indexed text; a long reference must not halt a read model.
    @Test func aReferenceOfAnyLengthHaltsNoReadModel() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let id = "0198c1c2-6a00-7000-8000-000000000001"
            // Random letters: not compressible, and not a card number.
            var random = SeededGenerator(seed: 1)
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
            let long = String((0..<6000).compactMap { _ in letters.randomElement(using: &random) })
            let capture: JSONValue = [
                "id": "c1", "amounts": ["total": ["value": 1340, "currency": "USD"]], "evidence": "gateway",
                "response": [:], "references": ["gatewayTransaction": .string(long), "invoice": .string(long)],
            ]
            let taken = try await append(caller, record("transaction/\(id)", event("Captured", data: capture)))
            #expect(taken.status == 201, "\(taken.body)")
            try await api.ledger.catchUp()
            let list = try await caller.get("/v1/transactions")
            #expect(try list.json["items"]?.array?.count == 1, "\(list.body.prefix(300))")
        }
    }

    @Test(arguments: [
        ("till", "malformed-stream"), ("Till/1", "malformed-stream"), ("till/a b", "malformed-stream"),
        ("till/4111111111111111", "malformed-stream"), ("transaction/1", "malformed-stream"),
        ("batch/0198C1C2-6A00-7000-8000-000000000001", "malformed-stream"), ("tenant/acme", "reserved-stream"),
        ("export/1", "reserved-stream"), ("chart/1", "reserved-stream"),
        ("transaction/0198c1c2-6a00-7000-8000-000000000001", "unknown-event-type"),
        ("batch/0198c1c2-6a00-7000-8000-000000000001", "unknown-event-type"),
    ])
    func reservedStreamsAreRefused(stream: String, code: String) async throws {
        try await TestAPI.serve { api in
            let answer = try await append(api.caller(), record(stream, event()))
            #expect(answer.code == code)
            #expect(!answer.body.contains("4111111111111111"))
            #expect(try await api.events().isEmpty)
        }
    }

    @Test func eventsOfTheLedgerMustDecode() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let id = "0198c1c2-6a00-7000-8000-000000000001"
            let stream = "transaction/\(id)"
            let capture: JSONValue = [
                "id": "c1", "amounts": ["total": ["value": 1340, "currency": "USD"]], "evidence": "gateway",
                "response": [:], "references": [:],
            ]
            let bad = try await append(caller, record(stream, event("Captured", data: ["id": "c1"])))
            #expect(bad.code == "unreadable-event")
            #expect(try bad.json["pointer"]?.string?.hasPrefix("/events/0/data") == true)
            let more = try await append(
                caller,
                record(stream, event("Captured", data: capture.setting(["tipp"], to: 1)))
            )
            #expect(more.code == "unreadable-event")
            let elsewhere = try await append(caller, record("till/1", event("Captured", data: capture)))
            #expect(elsewhere.code == "reserved-type")
            let closing: JSONValue = [
                "batch": ["vendor": "dejavoo", "account": "1", "number": "7"], "response": [:],
            ]
            let wrong = try await append(caller, record("batch/\(id)", event("BatchClosed", data: closing)))
            #expect(wrong.code == "wrong-stream", "\(wrong.body)")
            #expect(try await api.events().isEmpty)
            let taken = try await append(caller, record(stream, event("Captured", data: capture)))
            #expect(taken.status == 201, "\(taken.body)")
            let view = try await caller.get("/v1/transactions/\(id)?min_position=1")
            #expect(try view.json["status"] == "captured", "\(view.body)")
            let batch = BatchReference(vendor: .dejavoo, account: "1", number: "7")
            let right = StreamName.batch(batch, of: "acme")
            #expect(try await append(caller, record(right, event("BatchClosed", data: closing))).status == 201)
        }
    }

    @Test func secretsAreRemovedAndReported() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let data: JSONValue = ["note": "card 4111 1111 1111 1111", "cvv": "123"]
            let reported = record("till/1", event(), event(data: data), with: ["idempotencyKey": "4111111111111111"])
            let answer = try await append(caller, reported)
            #expect(answer.status == 201)
            #expect(
                try answer.json["redactions"]?.array?.map { $0["path"]?.string } == [
                    "/events/1/data/note", "/events/1/data/cvv", "/idempotencyKey",
                ]
            )
            let line = try #require(try await api.events().last?.recordLine)
            #expect(line.hasSuffix("\"data\":{\"note\":\"card 4111 11** **** 1111\"}}"), "\(line)")
        }
    }

    @Test(arguments: [
        "[]", "{}", "{\"stream\":\"till/1\"}", "{\"stream\":\"till/1\",\"events\":[]}",
        "{\"stream\":\"till/1\",\"events\":[{}]}", "{\"stream\":\"till/1\",\"events\":[],\"more\":1}",
    ])
    func malformedRecordsAreRefused(body: String) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.send(
                "POST",
                "/v1/events",
                ["Content-Type": "application/json"],
                body: body
            )
            #expect(answer.code == "malformed-record")
            let reader = try await api.caller([.read])
            #expect(try await append(reader, record("till/1", event())).code == "insufficient-scope")
        }
    }
}
