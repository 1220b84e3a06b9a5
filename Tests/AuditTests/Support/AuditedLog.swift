import Audit
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Intake
import Merkle
import Postgres
import Projections

/// A log of real payments with checkpoints, a witness file and read models, made once and copied for every test.
enum AuditedLog {
    static let keys = LogKeys(NoteSigningKey(name: NoteKeyName("log.test")!))
    private static let directory = Result { try TemporaryDirectory.shared(prefix: "dbk-witness") }

    static func witnessPath() throws -> String { try directory.get().path + "/witness" }

    /// 100 card payments of two tenants, signed after every ten of them.
    static let template = TestDatabase.Template("audited") { url in
        try await TestDatabase.Template.ledger.prepare(url)
        let configuration = PostgresConfiguration(connectionString: url)
        let ledger = Ledger(
            configuration: configuration,
            connections: 6,
            acquireTimeout: .seconds(60),
            logger: TestLog.logger
        )
        let signer = Checkpointer(
            pool: ledger.pool,
            keys: keys,
            witness: WitnessFile(path: try witnessPath()),
            clock: SystemClock(),
            logger: TestLog.logger
        )
        try await ledger.run {
            for number in 1...100 {
                let sender = Sender(tenant: number % 10 == 0 ? "other" : "acme", actor: "till", correlation: "c")
                _ = try await ledger.intake.documents.submit(document(number), vendor: "dejavoo", sender: sender)
                if number % 10 == 0 { _ = try await signer.step() }
            }
            _ = try await signer.step()
            let head = try await ledger.reader.head()
            for projection in ledger.readModels.projections {
                _ = try await ledger.readModels.wait(for: projection.name, toReach: head, timeout: .seconds(60))
            }
        }
    }

    private static func document(_ number: Int) -> [UInt8] {
        let record: JSONValue = [
            "kind": "Spin_Response",
            "body": [
                "Spin_Response": [
                    "AuthCode": .string("AC\(number)"), "ResultCode": "0", "Message": "APPROVED",
                    "HostResponseCode": "00",
                    "ExtData": [
                        "BaseAmount": "7.50", "TotalAmt": "7.50", "RespCode": "00", "RRN": .string("rrn\(number)"),
                        "txnId": .string("\(number)"), "txnLabel": "Sale", "BatchNum": "121",
                        "DateTime": "20240222173537",
                    ],
                ]
            ],
        ]
        return record.canonicalBytes
    }

    /// A copy of the log, after a superuser has run `sql` with all triggers off.
    static func with<Result: Sendable>(
        _ sql: String? = nil,
        _ body: @Sendable (_ url: String) async throws -> Result
    ) async throws -> Result {
        try await withTestDatabase(template: template) { url in
            if let sql { try await TestDatabase.psql("SET session_replication_role = replica; \(sql)", at: url) }
            return try await body(url)
        }
    }

    /// The faults that verification finds in the log, read models included.
    static func faults(at url: String, withWitness: Bool = false, withModels: Bool = false) async throws -> [LogFault] {
        var faults = FaultLog()
        var attestations: [Attestation] = []
        if withWitness {
            let witnessed = try await WitnessedCheckpoints.read(try witnessPath(), keys: keys.verifiers)
            attestations = witnessed.attestations
            faults.add(witnessed.faults)
        }
        let configuration = PostgresConfiguration(connectionString: url)
        let audit = DatabaseAudit(configuration: configuration, keys: keys.verifiers, attestations: attestations)
        faults.add(try await audit.run().faults)
        if withModels {
            let models = try await PostgresPool.withPool(configuration, options: .patient) { pool in
                let reader = EventReader(pool: pool)
                let readModels = ReadModels(ReadModels.all, pool: pool, reader: reader)
                return try await ReadModelAudit(readModels: readModels, pool: pool, reader: reader).run()
            }
            faults.add(models)
        }
        return faults.faults
    }

    /// The position of the newest event.
    static func head(at url: String) async throws -> Int64 {
        Int64(try await TestDatabase.psql("SELECT position FROM ledger.head", at: url)) ?? 0
    }
}
