import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Testing

/// What is flagged about events of `POST /v1/events`: the same contradictions as about the documents of vendors.
@Suite struct ReportedMoneyTests {
    private static let stream = "transaction/0198c1c2-6a00-7000-8000-000000000001"
    private static let approval = Reported.event("AuthorizationApproved", Reported.approval(750))
    private static let sale = [
        Reported.event("SaleRequested", ["amounts": Reported.total(750), "references": [:]]), approval,
    ]

    /// Appends a record, and returns the kinds of the anomalies that follow its events.
    private func flags(
        _ events: [JSONValue],
        on stream: String = stream,
        by caller: Caller,
        _ api: TestAPI,
        _ more: JSONObject = [:],
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> [String] {
        let before = try await api.events().count
        let answer = try await Reported.append(events, on: stream, more, by: caller)
        #expect(answer.status == 201, "\(answer.body)", sourceLocation: location)
        #expect(try answer.json["positions"]?.array?.count == events.count, sourceLocation: location)
        let appended = try await api.events().dropFirst(before)
        #expect(
            appended.prefix(events.count).map(\.type) == events.map { $0["type"]?.string },
            sourceLocation: location
        )
        return try appended.dropFirst(events.count).map { event in
            let data = try JSONValue(parsing: event.data)
            return (event.type == "AnomalyRaised" ? "" : "\(event.type) ") + (data["kind"]?.string ?? "?")
        }
    }

    @Test func aCaptureAboveItsAuthorisationIsFlagged() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            #expect(try await flags(Self.sale, by: till, api) == [])
            #expect(try await flags([Reported.captured(750)], by: till, api) == [])
            let million = Reported.captured(100_000_000, id: "second")
            #expect(try await flags([million], by: till, api) == ["capture-exceeds-authorization"])
            // A repeat under another key is recorded, and contradicts nothing more.
            #expect(try await flags([million], by: till, api) == [])
            // The whole payment in one record.
            let other = "transaction/0198c1c2-6a00-7000-8000-000000000002"
            let both = Self.sale + [Reported.captured(751)]
            #expect(try await flags(both, on: other, by: till, api) == ["capture-exceeds-authorization"])
            // Without an approval.
            let third = "transaction/0198c1c2-6a00-7000-8000-000000000003"
            let unapproved = [Self.sale[0], Reported.captured(750)]
            #expect(try await flags(unapproved, on: third, by: till, api) == ["original-not-recorded"])
        }
    }

    @Test func moneyThatWasNotCapturedIsFlagged() async throws {
        try await TestAPI.serve { api in
            let gateway = try await api.caller([.evidence])
            func stream(_ number: Int) -> String { "transaction/0198c1c2-6a00-7000-8000-00000000010\(number)" }
            func settlement(_ type: String, _ amount: Int64?) -> JSONValue {
                let data: JSONValue = ["id": "s1", "evidence": "settlement", "response": [:]]
                return Reported.event(type, data.setting(amount.map(Reported.money), "amount"))
            }
            func back(_ type: String, _ amount: Int64) -> JSONValue {
                Reported.event(
                    type,
                    [
                        "id": "r1", "amount": Reported.money(amount), "evidence": "gateway", "response": [:],
                        "references": [:],
                    ]
                )
            }
            for (number, type) in ["Settled", "Funded", "SettlementRejected"].enumerated() {
                let sale = try await flags(Self.sale, on: stream(number), by: gateway, api)
                #expect(sale == [])
                let found = try await flags([settlement(type, 750)], on: stream(number), by: gateway, api)
                #expect(found == ["settlement-mismatch"], "\(type)")
            }
            let captured = Self.sale + [Reported.captured(750)]
            #expect(try await flags(captured, on: stream(5), by: gateway, api) == [])
            #expect(
                try await flags([back("Refunded", 751)], on: stream(5), by: gateway, api) == ["refund-exceeds-capture"]
            )
            #expect(try await flags(captured, on: stream(6), by: gateway, api) == [])
            #expect(
                try await flags([back("ChargedBack", 9000)], on: stream(6), by: gateway, api) == [
                    "refund-exceeds-capture"
                ]
            )
            #expect(try await flags(Self.sale, on: stream(7), by: gateway, api) == [])
            #expect(try await flags([back("Refunded", 1)], on: stream(7), by: gateway, api) == ["refund-not-allowed"])
            #expect(try await flags(captured, on: stream(8), by: gateway, api) == [])
            #expect(
                try await flags([settlement("Settled", 749)], on: stream(8), by: gateway, api) == [
                    "settlement-mismatch"
                ]
            )
            #expect(try await flags(captured, on: stream(9), by: gateway, api) == [])
            #expect(try await flags([settlement("Settled", 750)], on: stream(9), by: gateway, api) == [])
        }
    }

    /// The rules of the vendor whose document began the payment.
    @Test func aDocumentsPaymentIsJudgedByItsVendor() async throws {
        try await TestAPI.serve { api in
            let device = try await api.caller()
            let sample = try Sample.named("MSR sale")
            let stream = try #require(try await device.take(sample.vendor, sample.record)["stream"]?.string)
            let till = try await api.caller([.events])
            let found = try await flags([Reported.captured(100_000_000, id: "till")], on: stream, by: till, api)
            #expect(found.contains("repeated-capture") && found.contains("capture-exceeds-authorization"), "\(found)")
        }
    }

    /// What only arrived in another order is not flagged any more. A till ends no anomaly.
    @Test func laterEvidenceEndsAFlag() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            let gateway = try await api.caller([.evidence])
            #expect(try await flags([Reported.captured(750)], by: till, api) == ["original-not-recorded"])
            #expect(try await flags([Self.approval], by: till, api) == [])
            let other = "transaction/0198c1c2-6a00-7000-8000-000000000002"
            #expect(try await flags([Reported.captured(750)], on: other, by: till, api) == ["original-not-recorded"])
            let ended = try await flags([Self.approval], on: other, by: gateway, api)
            #expect(ended == ["AnomalyCleared original-not-recorded"])
        }
    }

    @Test func versionsAndRepeatsAreAsBefore() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            let both = Self.sale + [Reported.captured(900)]
            let first: JSONObject = ["expectedVersion": 0, "idempotencyKey": "a"]
            let answer = try await Reported.append(both, on: Self.stream, first, by: till)
            #expect(try answer.json["positions"] == [1, 2, 3], "\(answer.body)")
            let again = try await Reported.append(both, on: Self.stream, first, by: till)
            #expect(again.body == answer.body && again.fields["idempotency-replayed"] == "true")
            let stale = try await Reported.append(
                [Reported.captured(1, id: "x")],
                on: Self.stream,
                ["expectedVersion": 3],
                by: till
            )
            #expect(stale.status == 409 && stale.code == "version-conflict")
            #expect(try stale.json["actualVersion"] == 4)
            let key: JSONObject = ["idempotencyKey": "a"]
            #expect(try await Reported.append(both, on: Self.stream, key, by: till).code == "idempotency-mismatch")
            let next: JSONObject = ["expectedVersion": 4]
            #expect(
                try await flags([Reported.captured(1, id: "x")], by: till, api, next) == [
                    "capture-exceeds-authorization"
                ]
            )
            #expect(try await api.events().map(\.version) == [1, 2, 3, 4, 5, 6])
        }
    }

    /// Records of one stream in one request are judged one after the other, also while others write.
    @Test func recordsOfARequestAreJudgedInOrder() async throws {
        try await TestAPI.serve { api in
            let till = try await api.caller([.events])
            let streams = (10..<30).map { "transaction/0198c1c2-6a00-7000-8000-0000000000\($0)" }
            func lines(_ number: Int) -> String {
                streams.flatMap { stream in
                    [Self.sale, [Reported.captured(700, id: "a\(number)")], [Reported.captured(100, id: "b\(number)")]]
                        .map {
                            Reported.record($0, on: stream, [:]).text
                        }
                }.joined(separator: "\n")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<4 {
                    group.addTask {
                        let answer = try await till.send(
                            "POST",
                            "/v1/events",
                            ["Content-Type": "application/x-ndjson"],
                            body: lines(number)
                        )
                        let status = try answer.lines.map { try JSONValue(parsing: $0)["status"]?.int64 }
                        #expect(status.count == 60 && status.allSatisfy { $0 == 201 })
                    }
                }
                try await group.waitForAll()
            }
            for stream in streams {
                var types = try await api.ledger.reader.stream(stream, of: "acme").map(\.type)
                let captures = types.count(where: { $0 == "Captured" })
                #expect(captures == 8 && types.count == 8 + captures + 7)
                // The first capture of 700 is allowed. Each further one makes the excess larger.
                let first = try #require(types.firstIndex(of: "Captured"))
                types.remove(at: first)
                for (index, type) in types.enumerated() where type == "Captured" {
                    #expect(types.dropFirst(index + 1).first == "AnomalyRaised", "\(types)")
                }
            }
        }
    }
}

/// Records in the ledger's own form.
enum Reported {
    static func money(_ value: Int64) -> JSONValue { ["currency": "USD", "value": .number(JSONNumber(value))] }

    static func total(_ value: Int64) -> JSONValue { ["total": money(value)] }

    static func event(_ type: String, _ data: JSONValue) -> JSONValue {
        ["type": .string(type), "schema": 1, "occurredAt": "2026-03-01T12:00:00Z", "data": data]
    }

    static func approval(_ value: Int64) -> JSONValue {
        ["amounts": total(value), "evidence": "reader", "response": [:], "references": [:]]
    }

    static func captured(_ value: Int64, id: String = "sale", batch: JSONValue? = nil) -> JSONValue {
        let data: JSONValue = [
            "id": .string(id), "amounts": total(value), "evidence": "reader", "response": [:], "references": [:],
        ]
        return event("Captured", data.setting(batch, "batch"))
    }

    static func record(_ events: [JSONValue], on stream: String, _ more: JSONObject) -> JSONValue {
        var record: JSONObject = ["stream": .string(stream), "events": .array(events)]
        for member in more { record[member.key] = member.value }
        return .object(record)
    }

    static func append(
        _ events: [JSONValue],
        on stream: String,
        _ more: JSONObject = [:],
        by caller: Caller
    ) async throws -> Answer {
        try await caller.send(
            "POST",
            "/v1/events",
            ["Content-Type": "application/json"],
            body: record(events, on: stream, more).text
        )
    }
}

extension JSONValue {
    /// A copy with a member, unless the value is nil.
    fileprivate func setting(_ value: JSONValue?, _ name: String) -> JSONValue {
        value.map { setting([name], to: $0) } ?? self
    }
}
