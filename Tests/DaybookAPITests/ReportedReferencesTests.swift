import Access
import Canonical
import EventLog
import Payments
import Testing

/// What an event of `POST /v1/events` names must exist: Daybook's own ids are refused if they are unknown; names of
/// others may arrive later and are flagged.
@Suite struct ReportedReferencesTests {
    private static let stream = "transaction/0198c1c2-6a00-7000-8000-000000000001"
    private static let unknownLine = "unknown-statement-line"

    private func resolution(_ line: String?) -> JSONValue {
        let data: JSONValue = [
            "outcome": "approved", "means": "settlementLine", "amounts": Reported.total(700), "evidence": "settlement",
            "references": [:],
        ]
        return Reported.event("OutcomeResolved", line.map { data.setting(["statementLine"], to: .string($0)) } ?? data)
    }

    private func settled(_ batch: JSONValue?) -> JSONValue {
        let data: JSONValue = ["id": "s1", "evidence": "settlement", "response": [:]]
        return Reported.event("Settled", batch.map { data.setting(["batch"], to: $0) } ?? data)
    }

    private func batch(_ number: String) -> JSONValue {
        ["vendor": "dejavoo", "account": "4400", "number": .string(number)]
    }

    @Test func aStatementLineMustExist() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.evidence, .read, .reconcile])
            let unknown = try await Reported.append(
                [
                    Reported.event("SaleRequested", ["references": [:]]),
                    resolution("0198c1c2-6a00-7000-8000-00000000ffff"),
                ],
                on: Self.stream,
                by: caller
            )
            #expect(unknown.status == 422 && unknown.code == Self.unknownLine, "\(unknown.body)")
            #expect(try unknown.json["pointer"] == "/events/1/data/statementLine")
            #expect(try await api.events().isEmpty)
            let imported = try await caller.send(
                "POST",
                "/v1/statements",
                ["Content-Type": "text/csv"],
                body:
                    """
                    type,currency,gross,fee,net,processor_id,day,merchant
                    sale,USD,7.00,-0.20,6.80,g-3,2026-03-01,8846

                    """
            )
            #expect(imported.status == 201, "\(imported.body)")
            let statement = try #require(try imported.json["id"]?.string)
            // At once: the read model of statements need not contain it yet.
            let position = try #require(imported.fields["daybook-position"])
            let lines = try await caller.get("/v1/statements/\(statement)/lines?min_position=\(position)").json
            let line = try #require(lines["items"]?[0]?["id"]?.string)
            let known = try await Reported.append([resolution(line)], on: Self.stream, by: caller)
            #expect(known.status == 201, "\(known.body)")
            // Another tenant's line does not exist.
            let stranger = try await api.caller([.evidence], tenant: "other")
            #expect(
                try await Reported.append([resolution(line)], on: Self.stream, by: stranger).code == Self.unknownLine
            )
            // Without a line, as before. Of several records only the wrong one is refused.
            let body = [[resolution(nil)], [resolution("0198c1c2-6a00-7000-8000-00000000ffff")], [resolution(line)]].map
            {
                Reported.record($0, on: Self.stream, [:]).text
            }
            let stream = try await caller.send(
                "POST",
                "/v1/events",
                ["Content-Type": "application/x-ndjson"],
                body: body.joined(separator: "\n")
            )
            #expect(try stream.lines.map { try JSONValue(parsing: $0)["status"]?.int64 } == [201, 422, 201])
        }
    }

    @Test func aSettlementInAnUnknownBatchIsFlagged() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.evidence])
            let sale = [
                Reported.event("AuthorizationApproved", Reported.approval(750)),
                Reported.captured(750, batch: batch("7")),
            ]
            func flags(_ event: JSONValue, _ number: Int) async throws -> [String] {
                let stream = "transaction/0198c1c2-6a00-7000-8000-00000000000\(number)"
                #expect(try await Reported.append(sale, on: stream, by: caller).status == 201)
                let answer = try await Reported.append([event], on: stream, by: caller)
                #expect(answer.status == 201, "\(answer.body)")
                let head = try #require(try answer.json["positions"]?.array?.last?.int64)
                return try await api.events().filter { $0.position > head }.map { event in
                    try JSONValue(parsing: event.data)["explanation"]?.string ?? event.type
                }
            }
            // The payment's own batch, and no batch.
            #expect(try await flags(settled(batch("7")), 1) == [])
            #expect(try await flags(settled(nil), 2) == [])
            let unknown = "settled in dejavoo:4400:8, a batch that is not recorded"
            #expect(try await flags(settled(batch("8")), 3).contains(unknown))
            let closing: JSONValue = ["batch": batch("9"), "response": [:]]
            let name = StreamName.batch(BatchReference(vendor: .dejavoo, account: "4400", number: "9"), of: "acme")
            let closed = try await Reported.append(
                [Reported.event("BatchCloseRequested", closing)],
                on: name,
                by: caller
            )
            #expect(closed.status == 201, "\(closed.body)")
            #expect(try await !flags(settled(batch("9")), 4).contains { $0.contains("not recorded") })
        }
    }

    @Test func aBatchOfTheSameRequestIsRecordedAndAnUnknownOneFlaggedOnce() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.evidence])
            let sale = [Reported.event("AuthorizationApproved", Reported.approval(750)), Reported.captured(750)]
            let streams = (1...2).map { "transaction/0198c1c2-6a00-7000-8000-00000000000\($0)" }
            for stream in streams {
                #expect(try await Reported.append(sale, on: stream, by: caller).status == 201)
            }
            let closing: JSONValue = ["batch": batch("9"), "response": [:]]
            let name = StreamName.batch(BatchReference(vendor: .dejavoo, account: "4400", number: "9"), of: "acme")
            let records = [
                Reported.record([Reported.event("BatchCloseRequested", closing)], on: name, [:]),
                Reported.record([settled(batch("9"))], on: streams[0], [:]),
                Reported.record([settled(batch("8")), settled(batch("8"))], on: streams[1], [:]),
            ]
            let answer = try await caller.send(
                "POST",
                "/v1/events",
                ["Content-Type": "application/x-ndjson"],
                body: records.map(\.text).joined(separator: "\n")
            )
            #expect(try answer.lines.map { try JSONValue(parsing: $0)["status"]?.int64 } == [201, 201, 201])
            let flags = try await api.events().filter { $0.data.contains("not recorded") }
            #expect(flags.map(\.stream) == [streams[1]])
        }
    }

    /// Calls to gateways are recorded by Daybook alone, so no event of others can name one.
    @Test(arguments: ["GatewayCallSent", "GatewayCallAnswered", "GatewayCallTimedOut", "GatewayCallFailed"])
    func noCallIsReported(type: String) async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller([.events, .evidence])
            let report: JSONValue = [
                "reference": "r", "gateway": "g", "vendor": "bridgepay", "operation": "find", "references": [:],
                "response": [:],
            ]
            let answer = try await Reported.append([Reported.event(type, report)], on: Self.stream, by: caller)
            #expect(answer.code == "unknown-event-type", "\(answer.body)")
            #expect(try await api.events().isEmpty)
        }
    }
}
