import Access
import Canonical
import Composition
import EventLog
import Journal
import Merkle
import Testing

/// Disputes over HTTP.
@Suite struct DisputeRouteTests {
    private static let json = ["Content-Type": "application/json"]
    private static let money: JSONValue = ["value": 1340, "currency": "USD"]
    private static let payment = "0198c1c2-6a00-7000-8000-0000000000d3"

    /// Serves a ledger with a sale of 13.40 that is charged back, and the path of its dispute.
    private func serve(
        signing: EvidenceOptions = EvidenceOptions(),
        _ body: @escaping @Sendable (TestAPI, Caller, String) async throws -> Void
    ) async throws {
        try await TestAPI.serve(signing: signing) { api in
            let ann = try await api.caller([.events, .evidence, .read, .reconcile], holder: "ann")
            let request: JSONValue = ["amounts": Reported.total(1340), "references": ["merchant": "8846"]]
            let back: JSONValue = [
                "id": "k1", "amount": Reported.money(1340), "evidence": "gateway", "response": [:], "references": [:],
            ]
            let events = [
                Reported.event("SaleRequested", request), Reported.captured(1340), Reported.event("ChargedBack", back),
            ]
            let answer = try await Reported.append(events, on: "transaction/\(Self.payment)", by: ann)
            #expect(answer.status == 201, "\(answer.body)")
            let found = try await ann.get("/v1/disputes?transaction=\(Self.payment)").json["items"]
            let dispute = try #require(found?[0])
            #expect(dispute["status"] == "open" && dispute["amount"] == Self.money)
            #expect(dispute["chargeback"] == "k1" && dispute["merchant"] == "8846")
            try await body(api, ann, "/v1/disputes/\(try #require(dispute["id"]?.string))")
        }
    }

    private func post(_ path: String, _ body: String, by caller: Caller, key: String? = nil) async throws -> Answer {
        var fields = Self.json
        fields["Idempotency-Key"] = key
        return try await caller.send("POST", path, fields, body: body)
    }

    @Test func operatorsFollowADispute() async throws {
        try await serve { api, ann, path in
            let described = try await post(
                "\(path)/describe",
                #"{"reasonCode":"10.4","respondBy":"2036-03-31","reason":"the portal, card 4111111111111111"}"#,
                by: ann,
                key: "describe-1"
            )
            #expect(described.status == 201, "\(described.body)")
            #expect(try described.json["reasonCode"] == "10.4" && described.json["respondBy"] == "2036-03-31")
            let event = try #require(try await api.events().last { $0.type == "DisputeDescribed" })
            #expect(!event.data.contains("4111111111111111"))
            for (filter, count) in [
                ("open=true", 1), ("open=false", 0), ("status=open", 1), ("status=lost", 0), ("merchant=8846", 1),
                ("merchant=8847", 0), ("deadline_before=2036-04-01", 1), ("deadline_before=2036-03-31", 0),
            ] {
                let items = try await ann.get("/v1/disputes?transaction=\(Self.payment)&\(filter)").json["items"]
                #expect(items?.array?.count == count, "\(filter)")
            }
            let body = #"{"documents":"receipt, card 4111111111111111","reason":"sent"}"#
            let represented = try await post("\(path)/represent", body, by: ann, key: "represent-1")
            #expect(try represented.status == 201 && represented.json["status"] == "represented")
            let again = try await post("\(path)/represent", body, by: ann, key: "represent-1")
            #expect(again.status == 201 && again.fields["idempotency-replayed"] == "true")
            #expect(try again.json["representations"] == 1)
            #expect(try await api.events().allSatisfy { !$0.data.contains("4111111111111111") })
        }
    }

    /// The end of a dispute moves money in the books, and needs two operators.
    @Test func twoOperatorsEndADispute() async throws {
        try await serve { api, ann, path in
            let proposed = try await post("\(path)/close", #"{"as":"lost","reason":"accepted"}"#, by: ann)
            #expect(proposed.status == 202, "\(proposed.body)")
            #expect(try await ann.get(path).json["status"] == "open")
            let id = try #require(try proposed.json["id"]?.string)
            let own = try await post("/v1/proposals/\(id)/approve", #"{"reason":"mine"}"#, by: ann)
            #expect(own.code == "own-proposal", "\(own.body)")
            let bob = try await api.caller([.read, .reconcile], holder: "bob")
            let approved = try await post("/v1/proposals/\(id)/approve", #"{"reason":"seen"}"#, by: bob)
            #expect(approved.status == 201, "\(approved.body)")
            let lost = try await ann.get(path).json
            #expect(lost["status"] == "lost" && lost["closedAt"] != nil)
            try await api.ledger.catchUp()
            let balances = try await api.ledger.journal.balances(of: "acme", by: [.account])
            #expect(balances.first { $0.keys == ["dispute-loss"] }?.balance == 1340)
            #expect(!balances.contains { $0.keys == ["dispute-receivable"] })
            let again = try await post("\(path)/close", #"{"as":"lost","reason":"accepted"}"#, by: ann)
            #expect(again.status == 409 && again.code == "already-recorded")
            // A contradiction is recorded and flagged.
            let won = try await api.approve(try await post("\(path)/close", #"{"as":"won","reason":"late"}"#, by: ann))
            #expect(won.status == 201, "\(won.body)")
            #expect(try await ann.get(path).json["status"] == "won")
            let anomaly = try #require(try await api.events().last { $0.type == "AnomalyRaised" })
            #expect(anomaly.data.contains("dispute-mismatch"))
        }
    }

    /// The file has the proof of every event, and none of the card numbers that were sent.
    @Test func theEvidenceIsProvenAndHasNoCardNumber() async throws {
        let keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test"))))
        try await serve(signing: EvidenceOptions(keys: keys, interval: .milliseconds(10))) { api, ann, path in
            let numbers = ["4111111111111111", "5454545454545454"]
            let card: JSONValue = [
                "brand": "Visa", "lastFour": "1111", "entryMethod": "Chip_Read",
                "applicationCryptogram": "AB12CD34EF56AB78", "addressCheck": ["code": "Y"], "codeCheck": ["code": "M"],
            ]
            let approval: JSONValue = [
                "amounts": Reported.total(1340), "evidence": "gateway", "card": card,
                "response": ["message": .string("approved \(numbers[0])")], "references": ["terminal": "T-7"],
            ]
            let signed: JSONValue = ["response": ["message": .string("signed by \(numbers[1])")]]
            let events = [
                Reported.event("AuthorizationApproved", approval), Reported.event("SignatureRequested", signed),
                Reported.event("SignatureAccepted", signed),
            ]
            let answer = try await Reported.append(events, on: "transaction/\(Self.payment)", by: ann)
            #expect(answer.status == 201, "\(answer.body)")
            let described = #"{"reasonCode":"10.4","reason":"see \#(numbers[0])"}"#
            #expect(try await post("\(path)/describe", described, by: ann).status == 201)
            let head = try await api.ledger.reader.head()
            _ = try await eventually {
                try await ann.get("/v1/log").json
            } is: {
                $0["checkpoint"]?["size"]?.int64 == head
            }
            let bundle = try await ann.get("\(path)/evidence")
            #expect(bundle.status == 200 && bundle.fields["content-type"] == "application/x-ndjson", "\(bundle.body)")
            for number in numbers { #expect(!bundle.body.contains(number)) }
            let lines = try bundle.lines.map { try JSONValue(parsing: $0) }
            let first = try #require(lines.first)
            let shown = try await ann.get(path).json
            #expect(first["kind"] == "dispute" && first["dispute"] == shown)
            let payment = try #require(first["payment"])
            #expect(payment["signature"] == "accepted" && payment["terminal"] == "T-7")
            #expect(payment["captured"] == Self.money)
            for member in ["entryMethod", "applicationCryptogram", "addressCheck", "codeCheck"] {
                #expect(payment["card"]?[member] == card[member], "\(member)")
            }
            #expect(first["receipt"]?.string?.contains("13.40") == true)
            let recorded = try await api.events().filter { $0.stream == "transaction/\(Self.payment)" }
            #expect(lines.count == recorded.count + 1)
            for (line, event) in zip(lines.dropFirst(), recorded) {
                #expect(line["event"]?["position"]?.int64 == event.position)
                let proof = try await ann.get("/v1/events/\(event.position)/proof").json
                #expect(line["proof"] == proof)
                let proven = try #require(line["proof"]?["line"]?.string)
                #expect(try line["event"] == JSONValue(parsing: proven))
            }
            #expect(try await api.caller(tenant: "other").get("\(path)/evidence").status == 404)
        }
    }

    @Test func commandsAreRefused() async throws {
        try await serve { api, ann, path in
            let till = try await api.caller([.events, .evidence, .read])
            let bodies = [
                "describe": #"{"reasonCode":"10.4","reason":"r"}"#, "represent": #"{"documents":"d","reason":"r"}"#,
                "close": #"{"as":"won","reason":"r"}"#,
            ]
            let unknown = "/v1/disputes/0198c1c2-6a00-7000-8000-000000000099"
            #expect(try await ann.get(unknown).status == 404)
            for (name, body) in bodies {
                #expect(try await post("\(path)/\(name)", body, by: till).status == 403, "\(name)")
                #expect(try await post("\(unknown)/\(name)", body, by: ann).status == 404, "\(name)")
                let stale = String(body.dropLast()) + #","expectedVersion":1}"#
                #expect(try await post("\(path)/\(name)", stale, by: ann).code == "version-conflict", "\(name)")
            }
            for (name, body) in [
                ("describe", #"{"reason":"r"}"#), ("describe", #"{"respondBy":"2026-02-30","reason":"r"}"#),
                ("describe", #"{"reasonCode":" ","reason":"r"}"#), ("describe", #"{"reasonCode":"10.4"}"#),
                ("represent", #"{"reason":"r"}"#), ("close", #"{"as":"settled","reason":"r"}"#),
                ("close", #"{"as":"won","reason":"r","extra":1}"#),
            ] {
                let refused = try await post("\(path)/\(name)", body, by: ann)
                #expect(refused.status == 400 && refused.code == "malformed-record", "\(name) \(body): \(refused.body)")
            }
        }
    }
}
