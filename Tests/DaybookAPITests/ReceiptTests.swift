import Access
import Canonical
import Projections
import Testing

/// Receipts over a socket: their forms, and recorded prints.
@Suite struct ReceiptTests {
    private static let json = ["Content-Type": "application/json"]

    private func pay(_ caller: Caller, to merchant: String? = nil, isPrinted: Bool = true) async throws -> String {
        var sale = try Sample.named("EMV sale")
        for member in isPrinted ? [] : ["ISOTransactionDate", "ISORequestDate"] {
            sale = sale.with("body", "BridgeCommResponse", member, as: nil)
        }
        if let merchant { sale = sale.with("merchant", as: .string(merchant)) }
        let answer = try await caller.take("bridgepay", sale.record)
        let id = try #require(answer["transaction"]?.string)
        let path = "/v1/transactions/\(id)/receipt"
        _ = try await caller.get("\(path)?min_position=4")
        return path
    }

    @Test func aPageNeedsNoOtherResource() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let path = try await pay(caller)
            let page = try await caller.get("\(path)?copy=merchant", ["Accept": "text/html"])
            #expect(page.fields["content-security-policy"] == ReceiptPage.contentSecurityPolicy)
            #expect(ReceiptPage.contentSecurityPolicy.contains("style-src 'sha256-"))
            #expect(page.fields["vary"] == "Accept, Accept-Encoding")
            #expect(page.body.contains("MERCHANT COPY"))
            let again = ["Accept": "text/html", "If-None-Match": try #require(page.fields["etag"])]
            #expect(try await caller.get("\(path)?copy=merchant", again).status == 304)
            // Another form or copy has another entity tag.
            #expect(try await caller.get("\(path)?copy=customer", again).status == 200)
            let text = again.merging(["Accept": "text/plain"]) { $1 }
            #expect(try await caller.get("\(path)?copy=merchant", text).status == 200)
        }
    }

    @Test func aTipLineIsThereWhereATipCanBeGiven() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let path = try await pay(caller)
            let plain = ["Accept": "text/plain"]
            let takesTip = try await caller.get(path).json["takesTip"]?.bool
            let lines = try await caller.get("\(path)?tip_line=true", plain).body.split(separator: "\n")
            #expect(lines.contains { $0.hasPrefix("Tip ____") } == takesTip)
            #expect(try await !caller.get(path, plain).body.contains("____"))
        }
    }

    @Test func theSecondPrintIsAReprint() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .audit])
            let path = try await pay(caller)
            func print(_ body: String, _ fields: [String: String] = [:]) async throws -> Answer {
                try await caller.send("POST", "\(path)/prints", Self.json.merging(fields) { $1 }, body: body)
            }
            func text(_ copy: String, at position: String) async throws -> String {
                let target = "\(path)?copy=\(copy)&min_position=\(position)"
                return try await caller.get(target, ["Accept": "text/plain"]).body
            }
            let first = try await print(#"{"copy":"customer"}"#, ["Idempotency-Key": "p1"])
            #expect(first.status == 201)
            #expect(try first.json["count"] == 1)
            #expect(try await !text("customer", at: "5").contains("REPRINT"))
            // A duplicate request is not a second print.
            let repeated = try await print(#"{"copy":"customer"}"#, ["Idempotency-Key": "p1"])
            #expect(repeated.fields["idempotency-replayed"] == "true")
            #expect(try repeated.json == first.json)
            let other = try await print(#"{"copy":"merchant"}"#, ["Idempotency-Key": "p1"])
            #expect(other.code == "idempotency-mismatch")
            // Without a key, each request is one print.
            let second = try await print(#"{"copy":"customer","reason":"card 4111111111111111 asked"}"#)
            #expect(try second.json["reprint"] == 1)
            let position = try #require(second.fields["daybook-position"])
            #expect(try await text("customer", at: position).contains("*** REPRINT 1 ***"))
            #expect(try await !text("merchant", at: position).contains("REPRINT"))
            let receipt = try await caller.get(path).json
            #expect(receipt["reprint"] == 1)
            #expect(receipt["issued"] == ["customer": 2, "merchant": 0])
            // The log has the actor, and no card number.
            let events = try await caller.get("/v1/events?type=ReceiptIssued").json["items"]?.array ?? []
            #expect(events.count == 2)
            #expect(events.allSatisfy { $0["actor"]?.string?.hasPrefix("key:") == true })
            #expect(events.last?["data"]?["reason"]?.string?.contains("4111111111111111") == false)
            // At that position there was no reprint.
            #expect(try await caller.get("\(path)?as_of_position=5").json["reprint"] == 0)
        }
    }

    /// A described merchant's zone applies to receipts. Answers about earlier positions keep the earlier zone.
    @Test func timesAreInTheZoneOfTheMerchant() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let merchant = "shop-7"
            // A printed local time would stay as it is.
            let path = try await pay(caller, to: merchant, isPrinted: false)
            let receipt = try await caller.get(path)
            let at = try #require(try receipt.json["at"]?.string.flatMap { Timestamp(rfc3339: $0) })
            func describe(_ name: String, _ zone: String) async throws -> String {
                let body = #"{"zone":"\#(zone)","reason":"as agreed"}"#
                let reported = try await caller.send("PUT", "/v1/merchants/\(name)", Self.json, body: body)
                return try #require(reported.fields["daybook-position"], "\(reported.body)")
            }
            func date(_ query: String, _ type: String = "text/plain") async throws -> String {
                let body = try await caller.get("\(path)?\(query)", ["Accept": type]).body
                return try #require(body.firstMatch(of: /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+:UTC0-9]+/)).output
                    .description
            }
            func shown(_ zone: String) throws -> String { try #require(Zone(zone)).text(at) }

            #expect(try receipt.json["zone"] == "UTC")
            #expect(try await date("") == shown("UTC"))
            _ = try await describe("somebody-else", "Asia/Tokyo")
            let first = try await describe(merchant, "Asia/Kolkata")
            #expect(try await date("min_position=\(first)") == shown("Asia/Kolkata"))
            #expect(try await date("", "text/html") == shown("Asia/Kolkata"))
            // The payment's version is the same, but the text differs, so the entity tag must not match.
            let tag = try #require(receipt.fields["etag"])
            let described = try await caller.get(path, ["If-None-Match": tag])
            #expect(described.status == 200)
            #expect(try described.json["zone"] == "Asia/Kolkata" && described.json["at"] == receipt.json["at"])
            let last = try await describe(merchant, "-03:00")
            #expect(try await date("min_position=\(last)") == shown("-03:00"))
            let positions = [("4", "UTC"), ("5", "UTC"), (first, "Asia/Kolkata"), (last, "-03:00")]
            for (position, zone) in positions {
                #expect(try await date("as_of_position=\(position)") == shown(zone), "\(position)")
            }
            let beyond = try await caller.get("\(path)?as_of_position=9999")
            #expect(beyond.status == 400 && beyond.code == "position-beyond-end")
            #expect(try await date("as_of=2999-01-01T00:00:00Z") == shown("-03:00"))
        }
    }

    @Test(arguments: [
        "", "{", "[]", "{}", #"{"copy":"bank"}"#, #"{"copy":1}"#, #"{"copy":"customer","x":1}"#,
        #"{"copy":"customer","reason":""}"#, #"{"copy":"customer","reason":7}"#,
        #"{"copy":"customer","copy":"customer"}"#, String(repeating: "[", count: 200),
    ])
    func invalidPrintsAreRefused(_ body: String) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let path = try await pay(caller)
            #expect(try await caller.send("POST", "\(path)/prints", Self.json, body: body).status == 400)
            #expect(try await caller.get(path).json["issued"] == ["customer": 0, "merchant": 0])
        }
    }

    @Test func recordingAPrintNeedsAScopeToRecord() async throws {
        try await TestAPI.serve { api in
            let path = try await pay(try await api.caller())
            let body = #"{"copy":"customer"}"#
            let reader = try await api.caller([.read])
            #expect(try await reader.send("POST", "\(path)/prints", Self.json, body: body).status == 403)
            let stranger = try await api.caller(tenant: "other")
            #expect(try await stranger.send("POST", "\(path)/prints", Self.json, body: body).status == 404)
            #expect(try await api.events().count == 4)
        }
    }
}
