import Access
import Canonical
import DaybookTestKit
import EventLog
import Testing

/// A card number in unexpected places is masked or dropped, reported, and stored nowhere.
@Suite struct CardDataTests {
    private static let number = "4111111111111111"
    private static let forms = [number, "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111"]

    /// Expects the number in no answer, log line or recorded event, in any form.
    private func expectNowhere(
        _ api: TestAPI,
        _ answers: [Answer],
        of forms: [String] = Self.forms,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        var texts = answers.map { $0.body + $0.fields.map { "\($0.key): \($0.value)" }.joined(separator: "\n") }
        texts += api.log.lines
        texts += try await api.events().map(\.recordLine)
        let dump = "SELECT string_agg(t::text, E'\\n') FROM ledger.reference_keys t"
        texts.append(try await TestDatabase.psql(dump, at: api.url))
        for form in forms {
            #expect(!texts.contains { $0.contains(form) }, "\(form) is kept", sourceLocation: location)
        }
    }

    /// A path for the number, and the path at which it is reported.
    struct Place: Sendable {
        let path: [String]
        let value: JSONValue
        let reported: String
        var rule = "pan"
        var action = "masked"
    }

    static let places: [Place] = [
        Place(path: ["body", "note"], value: "4111111111111111", reported: "/body/note"),
        Place(
            path: ["body", "deep", "list"],
            value: [["x": ["card 4111 1111 1111 1111 seen"]]],
            reported: "/body/deep/list/0/x/0"
        ),
        Place(path: ["body", "deep", "number"], value: 4_111_111_111_111_111, reported: "/body/deep/number"),
        Place(path: ["body", "dashes"], value: "4111-1111-1111-1111", reported: "/body/dashes"),
        Place(path: ["body", "4111111111111111"], value: "x", reported: "/body/411111******1111"),
        Place(
            path: ["body", "BPNReceipt", "invoice"],
            value: "4111111111111111",
            reported: "/body/BPNReceipt/invoice"
        ),
        Place(
            path: ["body", "BridgeCommResponse", "gatewayMessage"],
            value: "card 4111111111111111",
            reported: "/body/BridgeCommResponse/gatewayMessage"
        ),
        Place(
            path: ["body", "track2"],
            value: ";4111111111111111=25121010000000000?",
            reported: "/body/track2",
            rule: "track",
            action: "dropped"
        ),
        Place(path: ["merchant"], value: "4111111111111111", reported: "/merchant"),
        Place(path: ["terminal"], value: "4111 1111 1111 1111", reported: "/terminal"),
        Place(path: ["device"], value: "till 4111111111111111", reported: "/device"),
        Place(path: ["transaction"], value: "4111111111111111", reported: "/transaction", action: "dropped"),
        Place(path: ["idempotencyKey"], value: "4111111111111111", reported: "/idempotencyKey", action: "dropped"),
    ]

    /// All places run on one server, each with its own tenant.
    @Test func inARecord() async throws {
        try await TestAPI.serve { api in
            for (number, place) in Self.places.enumerated() {
                try await expectNothing(of: place, api, by: api.caller(tenant: "tenant-\(number)"))
            }
        }
    }

    private func expectNothing(of place: Place, _ api: TestAPI, by caller: Caller) async throws {
        let record = try Sample.named("MSR sale").record.setting(place.path[...], to: place.value)
        let answer = try await caller.post("bridgepay", record)
        #expect(answer.status == 201)
        // The other members are kept.
        #expect(try answer.json["events"]?.strings.contains("Captured") == true)
        let note: JSONValue = [
            "path": .string(place.reported), "rule": .string(place.rule), "action": .string(place.action),
        ]
        let notes = try answer.json["redactions"]?.array ?? []
        #expect(notes.contains(note), "\(answer.body)")
        let id = try #require(try answer.json["transaction"]?.string)
        var answers = [answer, try await caller.post("bridgepay", record)]
        #expect(answers[1].body == answer.body)
        let position = try #require(answer.fields["daybook-position"])
        for part in ["?min_position=\(position)", "/receipt?min_position=\(position)", "/events"] {
            let read = try await caller.get("/v1/transactions/\(id)\(part)")
            #expect(read.status == 200)
            answers.append(read)
        }
        answers.append(try await caller.get("/v1/events"))
        try await expectNowhere(api, answers)
    }

    /// A digest of a card number is as good as the number, so the key that held one is not kept as a digest either.
    @Test func inAnIdempotencyKey() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let sale = try Sample.named("MSR sale").record
            var answers: [Answer] = []
            for form in Self.forms.dropLast() {
                answers.append(try await caller.post("bridgepay", sale, ["Idempotency-Key": form]))
            }
            let note: JSONValue = ["path": "/idempotencyKey", "rule": "pan", "action": "dropped"]
            for answer in answers {
                #expect(answer.status == 201)
                #expect(answer.body == answers[0].body)
                #expect(try answer.json["redactions"]?.array?.contains(note) == true)
            }
            let keys = try await TestDatabase.psql("SELECT count(*) FROM ledger.idempotency", at: api.url)
            #expect(keys == "1")
            try await expectNowhere(api, answers)
        }
    }

    @Test func inARefusedRecord() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let type = ["Content-Type": "application/json"]
            let padding = String(repeating: "y", count: 4090)
            var answers: [Answer] = []
            for (vendor, body) in [
                ("bridgepay", "{\"card\":\"4111111111111111\""),
                ("bridgepay", "card=4111 1111 1111 1111&cvv=123"),
                // The trace is cut within the number and must not keep a part of it.
                ("bridgepay", padding + "4111111111111111"),
                ("bridgepay", "[\"4111111111111111\"]"),
                ("bridgepay", "{\"4111111111111111\":1}"),
                ("bridgepay", "{\"kind\":\"BPNPayment\",\"body\":{\"BPNPaymentRequest\":\"4111111111111111\"}}"),
                ("4111111111111111", "{\"kind\":\"x\",\"body\":{}}"),
                ("4111-1111-1111-1111", "{\"kind\":\"x\",\"body\":{}}"),
            ] {
                let answer = try await caller.send("POST", "/v1/intake/\(vendor)", type, body: body)
                #expect(answer.status >= 400 && answer.status < 500, "\(body)")
                let trace = try #require(try answer.json["tracePosition"]?.int64, "\(body)")
                answers += [answer, try await caller.get("/v1/events/\(trace)")]
            }
            let kind = "{\"kind\":\"4111111111111111\",\"body\":{\"pan\":4111111111111111}}"
            let kept = try await caller.send("POST", "/v1/intake/bridgepay", type, body: kind)
            #expect(kept.status == 201)
            #expect(try kept.json["redactions"]?.array?.count == 2)
            try await expectNowhere(api, answers + [kept])
            for event in try await api.events() { #expect(!event.data.contains("411111111111")) }
        }
    }

    /// A record that holds a secret, which only its vendor and kind reveal.
    struct SecretRecord: Sendable {
        let vendor: String
        let record: String
        let secret: String

        init(_ vendor: String, _ record: String, _ secret: String) {
            self.vendor = vendor
            self.record = record
            self.secret = secret
        }
    }

    private static let code = "739142"
    private static let block = "A1B2C3D4E5F60718"
    private static let block64 = "obLD1OX2Bxg="
    private static let number64 = "R2FzkAEBABA="
    private static let track64 = "VxNBERERERERER0lEgEBIzRWeJA="

    static let secretRecords = codes + blocks + tags + named

    /// The code under any name and any spelling of the kind, in records refused for different reasons.
    private static let codes: [SecretRecord] =
        [
            "\"\(code)\"", "[\"\(code)\"]", "[[\"\(code)\"]]", "{\"length\":6,\"string\":\"\(code)\"}",
            "{\"output\":[\(code)]}",
        ]
        .flatMap { body -> [SecretRecord] in
            let records = [
                #"{"kind":"generateAccessCode","body":\#(body)}"#, #"{"kind":"GenerateAccessCode","body":\#(body)}"#,
                #"{"kind":"generate_access_code","body":\#(body)}"#,
                #"{"kind":"generateAccessCode","occurredAt":"yesterday","body":\#(body)}"#,
                #"{"kind":"generateAccessCode","body":\#(body),"extra":1}"#,
                #"{"kind":"generateAccessCode","Body":\#(body)}"#, #"{"Kind":"generateAccessCode","body":\#(body)}"#,
                #"[{"kind":"generateAccessCode","body":\#(body)}]"#,
                #"{"records":[{"kind":"generateAccessCode","body":\#(body)}]}"#,
                #"{"kind":"generateAccessCode","body":\#(body),}"#,
                #"{"kind":"generat\u0065AccessCode","body":\#(body),}"#,
            ]
            return records.map { SecretRecord("paydiant", $0, code) } + [SecretRecord("Paydiant", records[0], code)]
        }
        + ["\"\(code)\"", "[\"\(code)\"]", code].map {
            SecretRecord("paydiant", #"{"body":\#($0),"kind":"gener"#, code)
        }

    /// PIN blocks and ciphertext, in hexadecimal and in Base64.
    private static let blocks: [SecretRecord] = [block, block64].flatMap { block -> [SecretRecord] in
        let records = [
            #"{"kind":"SimplifiedOnlinePINCommand","body":{"event":"success","parameters":["\#(block)"]}}"#,
            #"{"kind":"SimplifiedOnlinePinCommand","body":{"event":"success","response":"\#(block)"}}"#,
            #"{"kind":"SimplifiedOnlinePINCommand","body":{"event":"success","anything":{"x":"\#(block)"}}}"#,
            #"{"kind":"SimplifiedOnlinePINCommand","body":"\#(block)"}"#,
            #"{"kind":"SimplifiedOnlinePINCommand","body":{"parameters":["\#(block)"]},"extra":1}"#,
            #"{"kind":"SimplifiedOnlinePINCommand","body":{"parameters":["\#(block)"]},}"#,
            #"{"kind":"GetSecuredTagCommand","body":{"event":"success","parameters":["\#(block)"]}}"#,
            #"{"kind":"getSecuredTag","body":{"event":"success","result":"\#(block)"}}"#,
            #"{"kind":"GetSecuredTagCommand","body":"\#(block)"}"#,
            #"{"kind":"sendData.didFinish","body":{"success":true,"parameters":["\#(block)"]}}"#,
            #"{"kind":"UCubeAPI","body":{"method":"sendData","result":"\#(block)"}}"#,
        ]
        return records.map { SecretRecord("youtransactor", $0, block) }
    }

    /// Plain tags, in Base64.
    private static let tags: [SecretRecord] =
        [
            SecretRecord(
                "youtransactor",
                #"{"kind":"PaymentContext","body":{"authorizationPlainTagsValues":{"90":"\#(number64)"}}}"#,
                number64
            ),
            SecretRecord("handpoint", #"{"kind":"endOfTransaction","body":{"57":"\#(track64)"}}"#, track64),
        ]
        + [
            #"{"kind":"PaymentContext","body":{"authorizationPlainTagsValues":"\#(track64)"}}"#,
            #"{"kind":"GetPlainTagCommand","body":{"event":"success","response":"\#(track64)"}}"#,
            #"{"kind":"GetPlainTagCommand","body":{"event":"success","parameters":["\#(track64)"]}}"#,
            #"{"kind":"TransactionProcessCommand","body":{"event":"success","response":"\#(track64)"}}"#,
        ]
        .map { SecretRecord("youtransactor", $0, track64) }

    /// Members that are secret by their vendor's name, in unreadable records and in records of unknown kinds.
    private static let named: [SecretRecord] =
        [
            ("dejavoo", "merchantCode"), ("dejavoo", "authkey"), ("dejavoo", "spinToken"),
            ("handpoint", "sharedSecretString"), ("handpoint", "ss"), ("bridgepay", "publicKey"),
            ("paydiant", "checkoutToken"),
        ]
        .flatMap { (vendor, name) -> [SecretRecord] in
            ["}", "},", "},\"extra\":1"].map { end in
                SecretRecord(vendor, #"{"kind":"x","body":{"a":1,"\#(name)":"8G5H1K"\#(end)}"#, "8G5H1K")
            }
        }
        + [
            SecretRecord(
                "paydiant",
                #"{"kind":"ObtainCheckoutTokenCompletionBlock","body":"PDT-7Q2M-9F4K-XW8R"}"#,
                "PDT-7Q2M-9F4K-XW8R"
            ),
            SecretRecord("handpoint", #"{"kind":"x","body":{"Authorization":["Bearer 8G5H1K"]}}"#, "8G5H1K"),
        ]

    @Test func secretsOfAVendorAndKind() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            var answers: [Answer] = []
            for one in Self.secretRecords {
                let type = ["Content-Type": "application/json"]
                let answer = try await caller.send("POST", "/v1/intake/\(one.vendor)", type, body: one.record)
                #expect(answer.status == 201 || (400...499).contains(answer.status), "\(one.record)")
                answers.append(answer)
                let events = try await api.events().map(\.recordLine)
                #expect(!events.contains { $0.contains(one.secret) }, "\(one.vendor) \(one.record)")
            }
            try await expectNowhere(
                api,
                answers,
                of: [Self.code, Self.block, Self.block64, Self.number64, Self.track64, "8G5H1K", "PDT-7Q2M"]
            )
        }
    }

    /// Other values are kept, in documents of unknown kinds and in traces.
    @Test func otherValuesAreKept() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for (vendor, record) in [
                ("dejavoo", #"{"kind":"x","body":{"code":"05","result":"DECLINED","data":{"a":"kept-1"}}}"#),
                ("dejavoo", #"{"kind":"x","body":{"code":"05","result":"DECLINED","a":"kept-2"},"extra":1}"#),
                ("dejavoo", #"{"kind":"x","body":{"code":"05","result":"DECLINED","a":"kept-3"},}"#),
            ] {
                _ = try await caller.send(
                    "POST",
                    "/v1/intake/\(vendor)",
                    ["Content-Type": "application/json"],
                    body: record
                )
                let kept = try await api.events().last { $0.data.contains("kept-") }?.data ?? ""
                #expect(kept.contains("DECLINED") && kept.contains("05"), "\(record)")
            }
        }
    }

    @Test func inTheRequestItself() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit])
            let number = Self.number
            var answers: [Answer] = []
            for target in [
                "/v1/transactions?merchant=\(number)", "/v1/transactions?cursor=\(number)",
                "/v1/transactions?last4=\(number)", "/v1/transactions?\(number)=1", "/v1/transactions?limit=\(number)",
                "/v1/transactions/\(number)", "/v1/transactions/\(number)/receipt", "/v1/batches/\(number)",
                "/v1/events/\(number)", "/v1/events?stream=\(number)", "/v1/\(number)", "/\(number)",
                "/v1/events?after=\(number)", "/v1/transactions?as_of=\(number)", "/v1/batches?number=\(number)",
            ] {
                answers.append(try await caller.get(target))
            }
            for fields in [
                ["Authorization": "Bearer \(number)"], ["Authorization": number], ["Accept": number],
                ["If-None-Match": "\"\(number)\""], ["User-Agent": number], ["Last-Event-ID": number],
                ["X-Forwarded-For": number], ["Cookie": "card=\(number)"],
            ] {
                answers.append(try await caller.get("/v1/transactions", fields))
            }
            answers.append(try await caller.send(number, "/v1/transactions"))
            answers.append(
                try await caller.send("POST", "/v1/intake/bridgepay", ["Content-Type": "x/\(number)"], body: "{}")
            )
            try await expectNowhere(api, answers)
        }
    }

    /// A request id is logged, returned and recorded.
    @Test func inARequestID() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            var answers: [Answer] = []
            for id in [Self.number, "4111-1111-1111-1111", "4111.1111.1111.1111", "till-\(Self.number)-a"] {
                answers.append(
                    try await caller.post("bridgepay", Sample.named("MSR sale").record, ["X-Request-Id": id])
                )
                answers.append(try await caller.get("/v1/nothing", ["X-Request-Id": id]))
            }
            let trace = "00-\(Self.number)aaaaaaaaaaaaaaaa-00f067aa0ba902b7-01"
            answers.append(try await caller.get("/v1/transactions", ["traceparent": trace]))
            try await expectNowhere(api, answers)
            // Other request ids are kept.
            let answer = try await caller.post(
                "bridgepay",
                Sample.named("EMV sale").record,
                ["X-Request-Id": "till-7.2026-01-01_42"]
            )
            #expect(answer.fields["x-request-id"] == "till-7.2026-01-01_42")
            #expect(try await api.events().last?.correlation == "till-7.2026-01-01_42")
        }
    }
}
