import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Testing

/// A payment with 10,000 events takes no further event or document of a sender.
@Suite struct StreamLimitTests {
    private static let id = "0198c1c2-6a00-7000-8000-000000000001"
    private static let stream = "transaction/\(id)"
    private static let streamFull = "stream-full"

    private func fill(_ stream: String, _ event: JSONValue, _ caller: Caller, records: Int = 100) async throws -> Answer
    {
        let events = Array(repeating: event, count: 100)
        let lines = (0..<records).map { number in
            Reported.record(events, on: stream, ["idempotencyKey": .string("\(stream)-\(number)")]).text
        }
        return try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/x-ndjson"],
            body: lines.joined(separator: "\n")
        )
    }

    @Test func aFullPaymentRefusesSenders() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read, .reconcile])
            let shown = Reported.event("CardPresented", ["response": [:]])
            let filled = try await fill(Self.stream, shown, caller)
            let status = try filled.lines.map { try JSONValue(parsing: $0)["status"]?.int64 }
            #expect(status.count == 100 && status.allSatisfy { $0 == 201 })
            #expect(try await api.ledger.reader.versions(of: [Self.stream], tenant: "acme") == [Self.stream: 10_000])
            let more = try await Reported.append([shown], on: Self.stream, by: caller)
            #expect(more.status == 422 && more.code == Self.streamFull, "\(more.body)")
            #expect(try more.json["retryable"] == false)
            // A repeat is answered as before.
            let again = try await fill(Self.stream, shown, caller, records: 1)
            #expect(try again.lines.map { try JSONValue(parsing: $0)["replayed"] } == [true])
            // A document that names the payment, and a receipt.
            let sample = try Sample.named("MSR sale").with("transaction", as: .string(Self.id))
            let document = try await caller.post(sample.vendor, sample.record)
            #expect(document.status == 422 && document.code == Self.streamFull, "\(document.body)")
            let receipt = try await caller.send(
                "POST",
                "/v1/transactions/\(Self.id)/receipt/prints",
                ["Content-Type": "application/json"],
                body: #"{"copy":"customer"}"#
            )
            #expect(receipt.status == 422 && receipt.code == Self.streamFull, "\(receipt.body)")
            #expect(try await api.ledger.reader.head() == 10_000)
            // What is refused does not make the server read the payment again.
            let rows = try await CountedRows(at: api.url)
            var reads: [Int] = []
            for _ in 0..<5 {
                reads.append(
                    try await rows.read {
                        let event = try await Reported.append([shown], on: Self.stream, by: caller)
                        let document = try await caller.post(sample.vendor, sample.record)
                        #expect(event.status == 422 && document.status == 422)
                    }
                )
            }
            // What applies the log may still read it, once.
            #expect(reads.sorted()[2] < 100, "\(reads)")
            // Streams of readers and of integrators have no limit, and other payments are not affected.
            #expect(try await caller.post(sample.vendor, Sample.named("MSR sale").record).status == 201)
            for stream in ["till/17", "reader/handpoint/1"] {
                let event = Reported.event(
                    stream == "till/17" ? "DrawerOpened" : "CardPresented",
                    stream == "till/17" ? [:] : ["response": [:]]
                )
                let filled = try await fill(stream, event, caller, records: 101)
                #expect(try filled.lines.allSatisfy { try JSONValue(parsing: $0)["status"] == 201 })
            }
        }
    }

    /// A warm process reads only what is new of a long payment.
    @Test func aFurtherEventOfALongPaymentReadsLittle() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.documents, .events, .evidence, .read])
            let shown = Reported.event("CardPresented", ["response": [:]])
            let filled = try await fill(Self.stream, shown, caller, records: 50)
            #expect(try filled.lines.allSatisfy { try JSONValue(parsing: $0)["status"] == 201 })
            // The read models have folded it.
            _ = try await caller.get("/v1/transactions/\(Self.id)?min_position=5000")
            let rows = try await CountedRows(at: api.url)
            var reads: [Int] = []
            for number in 0..<20 {
                reads.append(
                    try await rows.read {
                        let version: JSONObject = ["expectedVersion": .number(.init(5_000 + Int64(number)))]
                        let more = number.isMultiple(of: 2) ? version : [:]
                        let answer = try await Reported.append([shown], on: Self.stream, more, by: caller)
                        #expect(answer.status == 201, "\(answer.body)")
                    }
                )
            }
            let sample = try Sample.named("MSR sale").with("transaction", as: .string(Self.id))
            reads.append(
                try await rows.read {
                    let answer = try await caller.post(sample.vendor, sample.record)
                    #expect(answer.status == 201)
                }
            )
            // What applies the log may still read it, once.
            #expect(reads.count { $0 < 100 } > 15, "\(reads)")
        }
    }
}
