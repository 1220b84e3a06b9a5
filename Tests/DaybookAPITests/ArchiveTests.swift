import Canonical
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Intake
import Merkle
import Postgres
import Testing

/// The API over a log whose first partition is archived.
struct ArchiveTests {
    private let keys: LogKeys

    init() throws { keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test")))) }

    /// Records a sale, fills its partition with other events, and moves the partition into an archive.
    private static func withArchivedSale(
        _ keys: LogKeys,
        _ body: @escaping @Sendable (TestAPI, Caller, _ transaction: String, _ directory: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            try await TestAPI.serve(template: .smallPartitions(2), archiveDirectory: directory) { api in
                let caller = try await api.caller()
                let sale = try await caller.take("bridgepay", Sample.named("Authorisation").record)
                for _ in 0..<60 {
                    let result = try await api.ledger.sequencer.append(.sample("till/1", tenant: "other", count: 5))
                    guard case .appended = result else { throw TestKitError("not appended") }
                }
                _ = try await Checkpointer(
                    pool: api.ledger.pool,
                    keys: keys,
                    witness: nil,
                    clock: SystemClock(),
                    logger: TestLog.logger
                ).step()
                let configuration = PostgresConfiguration(connectionString: api.url).acting(as: .archiver)
                let report = try await PostgresPool.withPool(configuration, options: .patient) { pool in
                    try await Archiver(pool: pool, directory: directory, logger: TestLog.logger)
                        .run(.keeping(0), drops: true)
                }
                #expect(report.outcomes.map(\.last) == [256])
                try await body(api, caller, try #require(sale["transaction"]?.string), directory)
            }
        }
    }

    @Test func aReceiptOfAnArchivedSaleCarriesItsProof() async throws {
        try await Self.withArchivedSale(keys) { api, caller, transaction, _ in
            let receipt = try await caller.get("/v1/transactions/\(transaction)/receipt").json
            let line = try #require(receipt["proof"]?["line"]?.string)
            let event = try JSONValue(parsing: line)
            #expect(event["stream"]?.string == "transaction/\(transaction)")
            #expect(event["version"] == receipt["version"])
        }
    }

    @Test func aLateFollowUpFindsItsArchivedHistory() async throws {
        try await Self.withArchivedSale(keys) { api, caller, transaction, directory in
            let capture = try await Self.capture(api, keys, archiveDirectory: directory)
            #expect(capture.stream == "transaction/\(transaction)")
            let head = try await api.ledger.reader.head()
            let events = try await caller.get("/v1/transactions/\(transaction)/events").json["items"]?.array
            #expect(events?.first?["position"] == 1)
            #expect(events?.last?["position"]?.int64 == head)
            let payment = try await caller.get("/v1/transactions/\(transaction)?min_position=\(head)").json
            #expect(payment["status"] == "captured")
            #expect(payment["amounts"]?["captured"]?["value"] == 950)
            let feed = try await caller.get("/v1/events").json["items"]?.array
            #expect(feed?.first?["position"] == 1)
            #expect(feed?.count == events?.count)
        }
    }

    @Test func aMissingArchiveIsAProblem() async throws {
        try await Self.withArchivedSale(keys) { api, caller, transaction, directory in
            let files = try FileManager.default.contentsOfDirectory(atPath: directory)
            for file in files { try FileManager.default.removeItem(atPath: "\(directory)/\(file)") }
            for path in ["/v1/events", "/v1/events/1", "/v1/transactions/\(transaction)/events"] {
                let answer = try await caller.get(path)
                #expect(answer.status == 503, "\(path)")
                #expect(answer.code == "archive-unavailable", "\(path)")
            }
            let problem = await #expect(throws: IntakeProblem.self) {
                try await Self.capture(api, keys, archiveDirectory: directory)
            }
            #expect(problem?.code == .unavailable)
            #expect(try await caller.get("/v1/events?after=256").status == 200)
        }
    }

    /// Ingests the capture in a second process, which has not cached the sale.
    private static func capture(
        _ api: TestAPI,
        _ keys: LogKeys,
        archiveDirectory: String
    ) async throws -> IntakeAnswer {
        let ledger = Ledger(
            configuration: PostgresConfiguration(connectionString: api.url),
            connections: 2,
            archiveDirectory: archiveDirectory,
            acquireTimeout: .seconds(60),
            signing: EvidenceOptions(keys: keys),
            logger: TestLog.logger
        )
        let record = try Sample.named("Capture with tip").record
        return try await ledger.run(for: .appending) {
            let sender = Sender(tenant: "acme", actor: "cli:till", correlation: "late")
            return try await ledger.intake.documents.submit(record.canonicalBytes, vendor: "bridgepay", sender: sender)
        }
    }
}
