import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import HTTPEdge
import Intake
import Payments
import Postgres
import Testing

@testable import DaybookAPI

/// Receipts that were answered before.
@Suite struct KeptReceiptsTests {
    private static func key(_ number: Int) -> KeptReceipts.Key {
        KeptReceipts.Key(tenant: "acme", epoch: 0, json: "\(number)", form: "text/plain text42-customer-UTC")
    }

    private static func answer(_ bytes: Int) -> KeptReceipts.Answer {
        KeptReceipts.Answer(tag: "t", response: .text(String(repeating: "x", count: bytes)))
    }

    @Test func theyAreBounded() {
        let kept = KeptReceipts(limit: 10)
        for number in 0..<50 { kept.keep(Self.answer(9), for: Self.key(number)) }
        #expect(kept.count <= 10)
        #expect(kept.answer(Self.key(49))?.tag == "t")
        kept.keep(Self.answer(17 << 10), for: Self.key(50))
        #expect(kept.answer(Self.key(50)) == nil)
    }

    @Test func anotherEpochForgetsThem() {
        let ledger = Ledger(configuration: PostgresConfiguration(connectionString: ""), logger: TestLog.logger)
        let api = API(ledger: ledger, readiness: Readiness(), logger: TestLog.logger, metrics: { "" })
        ledger.log.logGuard.proved(LogEpoch(number: 0))
        api.receipts.keep(Self.answer(9), for: Self.key(1))
        ledger.log.logGuard.proved(LogEpoch(number: 0))
        #expect(api.receipts.count == 1)
        ledger.log.logGuard.proved(LogEpoch(number: 1))
        #expect(api.receipts.count == 0)
    }

    /// Everything but the time and the request's own id.
    private static func content(_ answer: Answer) -> [String: String] {
        answer.fields.filter { $0.key != "date" && $0.key != "x-request-id" }.merging(["body": answer.body]) { $1 }
    }

    @Test func aKeptAnswerIsTheSameAndAnotherServersWriteIsSeen() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let taken = try await caller.take("bridgepay", Sample.named("EMV sale").record)
            let id = try #require(taken["transaction"]?.string.flatMap { UUID128($0) })
            let path = "/v1/transactions/\(id)/receipt"
            func read(_ type: String, _ query: String = "") async throws -> Answer {
                try await caller.get(path + query, ["Accept": type])
            }
            let types = ["text/plain", "text/html", "application/json"]
            var before: [String: Answer] = [:]
            for type in types {
                let first = try await read(type)
                #expect(try await Self.content(read(type)) == Self.content(first))
                #expect(try await read(type, "?copy=merchant").body != first.body)
                #expect(try await Self.content(read(type)) == Self.content(first))
                before[type] = first
            }
            let other = Ledger(
                configuration: PostgresConfiguration(connectionString: api.url),
                connections: 2,
                logger: TestLog.logger
            )
            let position = try await other.run(for: .appending) {
                var position: Int64 = 0
                for number in 1...2 {
                    let issued = try await other.intake.recorder.issueReceipt(
                        .customer,
                        of: id,
                        reason: nil,
                        idempotencyKey: "k\(number)",
                        sender: Sender(tenant: "acme", actor: "test", correlation: "c")
                    )
                    position = try #require(issued).position
                }
                return position
            }
            for type in types {
                let after = try await read(type, "?min_position=\(position)")
                #expect(after.status == 200 && after.body != before[type]?.body)
                #expect(after.fields["etag"] != before[type]?.fields["etag"])
            }
            let text = try await read("text/plain", "?min_position=\(position)").body
            #expect(text.contains("*** REPRINT 1 ***"))
        }
    }

    @Test func aTenantSeesNoReceiptOfAnother() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let taken = try await caller.take("bridgepay", Sample.named("EMV sale").record)
            let path = "/v1/transactions/\(try #require(taken["transaction"]?.string))/receipt"
            for _ in 1...2 {
                #expect(try await caller.get(path).status == 200)
                #expect(try await api.caller(tenant: "other").get(path).status == 404)
            }
        }
    }
}
