import Canonical
import EventLog
import Testing

/// A duplicate is recorded once and gets the first answer.
@Suite struct RepeatTests {
    @Test func aDuplicateIsRecordedOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for sample in try Sample.all() {
                let first = try await caller.post(sample.vendor, sample.record)
                let count = try await api.events().count
                let second = try await caller.post(sample.vendor, sample.record)
                #expect(second.status == 201)
                #expect(second.body == first.body, "\(sample.title)")
                #expect(first.fields["idempotency-replayed"] == nil)
                #expect(second.fields["idempotency-replayed"] == "true")
                #expect(second.fields["daybook-position"] == first.fields["daybook-position"])
                #expect(try await api.events().count == count)
            }
        }
    }

    @Test func twentyConcurrentDuplicatesAreRecordedOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let record = try Sample.named("EMV sale").record
            let answers = try await withThrowingTaskGroup { group in
                for _ in 0..<20 { group.addTask { try await caller.post("bridgepay", record) } }
                return try await group.reduce(into: [Answer]()) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 201 })
            #expect(Set(answers.map(\.body)).count == 1)
            #expect(answers.count { $0.fields["idempotency-replayed"] == nil } == 1)
            #expect(try await api.events().map(\.position) == [1, 2, 3, 4])
        }
    }

    /// Different documents of one payment, sent concurrently: one payment, and every document is kept.
    @Test func manyDocumentsAboutOnePaymentAtOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let sale = try Sample.named("EMV sale")
            let answers = try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    let record = sale.with("device", as: .string("till-\(number)")).record
                    group.addTask { try await caller.take("bridgepay", record) }
                }
                return try await group.reduce(into: [JSONValue]()) { $0.append($1) }
            }
            #expect(Set(answers.compactMap { $0["transaction"]?.string }).count == 1)
            let types = try await api.events().map(\.type)
            #expect(types.count { $0 == "Captured" } == 1)
        }
    }

    @Test(arguments: [true, false])
    func aKeyBelongsToOneRecord(_ inHeader: Bool) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            func post(_ sample: Sample, key: String) async throws -> Answer {
                if inHeader { return try await caller.post(sample.vendor, sample.record, ["Idempotency-Key": key]) }
                return try await caller.post(
                    sample.vendor,
                    sample.with("idempotencyKey", as: .string(key)).record
                )
            }
            let sale = try Sample.named("MSR sale")
            let first = try await post(sale, key: "one")
            let again = try await post(sale, key: "one")
            #expect(first.status == 201)
            #expect(again.body == first.body)
            #expect(again.fields["idempotency-replayed"] == "true")
            // The same document with another key is still a duplicate.
            let other = try await post(sale, key: "two")
            #expect(other.body == first.body)
            #expect(other.fields["idempotency-replayed"] == "true")
            let count = try await api.events().count
            let mismatch = try await post(Sample.named("EMV sale"), key: "one")
            #expect(mismatch.status == 422)
            #expect(mismatch.code == "idempotency-mismatch")
            #expect(try await api.events().count == count)
            // Tenants do not share keys.
            let stranger = try await api.caller(tenant: "other")
            let theirs = try await stranger.post("bridgepay", sale.record, ["Idempotency-Key": "one"])
            #expect(theirs.fields["idempotency-replayed"] == nil)
            #expect(theirs.body != first.body)
        }
    }

    @Test func theKeyOfTheRecordTakesPrecedence() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let sale = try Sample.named("MSR sale").with("idempotencyKey", as: "inner").record
            #expect(try await caller.post("bridgepay", sale, ["Idempotency-Key": "outer"]).status == 201)
            let another = try Sample.named("EMV sale").record
            #expect(try await caller.post("bridgepay", another, ["Idempotency-Key": "inner"]).status == 422)
            #expect(try await caller.post("bridgepay", another, ["Idempotency-Key": "outer"]).status == 201)
        }
    }

    @Test(arguments: ["", String(repeating: "k", count: 256)])
    func aMalformedKeyIsRefused(_ key: String) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.post(
                "bridgepay",
                Sample.named("MSR sale").record,
                ["Idempotency-Key": key]
            )
            #expect(answer.code == "invalid-idempotency-key")
            #expect(try await api.events().isEmpty)
        }
    }

    /// The app's reference and the ledger's id both lead to the payment.
    @Test func aReferenceLeadsToThePayment() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let sale = try Sample.named("Cancelled sale").with("transaction", as: "order-17")
            let first = try await caller.take("bridgepay", sale.record)
            let id = try #require(first["transaction"])
            for reference in [id, "order-17"] {
                let note = try Sample.named("Invalid tender type").with("transaction", as: reference)
                #expect(try await caller.take("bridgepay", note.record)["transaction"] == id)
            }
        }
    }
}
