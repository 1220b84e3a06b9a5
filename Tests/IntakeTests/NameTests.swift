import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Postgres
import Testing
import Vendors

/// Names of payments are byte strings of any length.
@Suite struct NameTests {
    /// Texts that look the same, as one scalar and as two.
    private static let composed = "caf\u{E9}-7"
    private static let decomposed = "cafe\u{301}-7"

    private static func inDoubt(_ reference: String) -> JSONValue {
        [
            "kind": "NSError", "transaction": .string(reference),
            "body": ["domain": "com.bridgepaynetwork.PayGuardian", "code": "E1017"],
        ]
    }

    /// One payment for each reference, whether they arrive together or one by one, and each is found by its own
    /// reference.
    @Test(arguments: [true, false])
    func referencesThatLookTheSameAreDistinct(together: Bool) async throws {
        try await withIntake { intake, log in
            let records = [Self.composed, Self.decomposed].map { Self.inDoubt($0).canonicalBytes }
            var answers: [IntakeAnswer] = []
            if together {
                answers = try await intake.intake.submit(
                    records,
                    limit: 1 << 20,
                    vendor: "bridgepay",
                    sender: intake.sender
                ).map { try $0.get() }
            } else {
                for record in records {
                    answers.append(
                        try await intake.intake.submit(record, vendor: "bridgepay", sender: intake.sender)
                    )
                }
            }
            #expect(answers[0].stream != answers[1].stream)
            #expect(answers.allSatisfy { !$0.isDuplicate && $0.anomalies.isEmpty })
            let other = try intake.forgetful(log)
            for (number, reference) in [Self.decomposed, Self.composed].enumerated() {
                let sale = Spin(rrn: "\(number)", txn: "A\(number)", total: "5.00")
                // Found in memory with one reference, in the log with the other.
                let found =
                    try await number == 0
                    ? intake.submit(sale, transaction: reference)
                    : other.submit([sale], transaction: reference).map { try $0.get() }[0]
                #expect(found.stream == answers[1 - number].stream)
                #expect(found.anomalies.isEmpty)
            }
        }
    }

    /// PostgreSQL could not index the unabridged name of such an id, and would refuse the append.
    @Test func anIDOfAnyLengthIsAName() async throws {
        try await withIntake { _, log in
            let recorder = log.recorder()
            // Random text, which cannot be compressed.
            var random = SeededGenerator(seed: 1)
            let common = String(
                (0..<6000).map { _ in Character(Unicode.Scalar(UInt8.random(in: 0x41...0x7A, using: &random))) }
            )
            var streams: [String] = []
            for value in ["\(common)1", "\(common)2", "\(common)1"] {
                let result = try await recorder.record(
                    [.keysLinked(KeysLinked(other: "transaction/\(streams.count)", key: "x"))],
                    from: nil,
                    keys: [ReferenceKey(vendor: .bridgepay, scheme: .gatewayTransaction, value: value)],
                    idempotency: [],
                    policy: LifecyclePolicy(),
                    occurredAt: log.clock.now(),
                    sender: Sender(tenant: "acme", actor: "test", correlation: "test")
                )
                guard case .appended(let range) = result else {
                    Issue.record("it was not appended: \(result)")
                    return
                }
                streams.append(try await log.reader.range(range)[0].stream)
            }
            #expect(streams[0] == streams[2])
            #expect(streams[0] != streams[1])
        }
    }

    @Test func aLongNameIsItsDigest() {
        let limit = ReferenceKey.valueLimit
        let whole = String(repeating: "a", count: limit)
        #expect(ReferenceKey(vendor: nil, scheme: .app, value: whole).text == "app:app:\(whole)")
        let digest = ReferenceKey(vendor: nil, scheme: .app, value: whole + "a").text
        // The digest of 256 letters a, by sha256sum.
        #expect(digest == "app:app:sha256:02d7160d77e18c6447be80c2e355c7ed4388545271702c50253b0914c65ce5fe")
        // A value written like a digest must not be taken for one that has this digest.
        let forged = String(digest.dropFirst("app:app:".count))
        #expect(ReferenceKey(vendor: nil, scheme: .app, value: forged).text != digest)
    }

    /// Only the log shows whether a payment that is named but not in memory exists.
    @Test func aPaymentThatIsNotInMemoryIsLookedUp() async throws {
        try await withIntake { intake, log in
            let sales = (0..<6).map { Spin(rrn: "\($0)", txn: "A\($0)", total: "5.00") }
            let first = try await intake.submit(sales).map { try $0.get() }
            // Too small to hold even what was read ahead for one request.
            let other = try intake.forgetful(log, memory: PaymentMemory(keys: 2, payments: 2))
            let ids = try first.map { try #require(StreamName.transactionID($0.stream)) }
            let records = ids.enumerated().map { number, id in
                Spin(rrn: "9\(number)", txn: "B\(number)", total: "5.00", label: "Void").record(transaction: id)
            }
            let answers = try await other.submit(records: records).map { try $0.get() }
            #expect(answers.map(\.stream) == first.map(\.stream))
            for answer in answers { #expect(try await log.payment(answer.stream).status == .voided) }
        }
    }

    /// An id that no payment has is the app's own name for one, also in the next document with it.
    @Test func anIDThatNoPaymentHasIsAName() async throws {
        try await withIntake { intake, log in
            let id = "0198b1e2-7c00-7000-8000-000000000001"
            let records = [
                Spin(rrn: "1", txn: "A1", total: "5.00").record(transaction: id),
                Spin(rrn: "2", txn: "A1", total: "5.00", label: "Void").record(transaction: id),
            ]
            let answers = try await intake.submit(records: records).map { try $0.get() }
            #expect(answers[0].stream == answers[1].stream)
            #expect(answers[0].stream != "transaction/\(id)")
            #expect(try await log.payment(answers[0].stream).status == .voided)
        }
    }

    /// After a failover that lost the newest events, nothing may refer to payments that were lost with them.
    @Test func memoryOfALogThatLostItsTailIsDiscarded() async throws {
        try await TestLog.with { log in
            let memory = PaymentMemory()
            let logGuard = LogGuard()
            logGuard.onNewEpoch { memory.clear() }
            let sequencer = Sequencer(
                configuration: log.configuration,
                clock: log.clock,
                signal: log.signal,
                logGuard: logGuard,
                logger: TestLog.logger
            )
            try await TestLog.running(sequencer) {
                let intake = TestIntake(
                    intake: DocumentIntake(
                        adapters: VendorAdapters.all,
                        recorder: log.recorder(sequencer: sequencer, memory: memory)
                    )
                )
                let lost = try await intake.submit([Spin(rrn: "7", txn: "A1", total: "5.00")]).map { try $0.get() }[0]
                try await log.superuser.withConnection { connection in
                    try await connection.script(
                        """
                        SET session_replication_role = replica;
                        TRUNCATE ledger.events, ledger.streams, ledger.idempotency, ledger.reference_keys;
                        UPDATE ledger.head SET position = 0, frontier = '';
                        RESET session_replication_role
                        """
                    )
                }
                // The first append detects it, and nothing is appended until an operator has adopted the log.
                let refused = await intake.submit([Spin(rrn: "1", txn: "C3", total: "1.00")])
                #expect(throws: IntakeProblem.self) { try refused.map { try $0.get() } }
                _ = try await log.adopt()
                let next = try await intake.submit([Spin(rrn: "7", txn: "B2", total: "6.00")]).map { try $0.get() }[0]
                #expect(next.stream != lost.stream)
                #expect(next.anomalies.isEmpty)
                #expect(try await log.payment(next.stream).linked.isEmpty)
            }
        }
    }
}

extension Spin {
    /// The record a sender makes of the document.
    func record(transaction: String? = nil) -> JSONValue {
        var record: JSONObject = ["kind": "Spin_Response", "body": body]
        if let transaction { record["transaction"] = .string(transaction) }
        return .object(record)
    }
}

extension TestIntake {
    /// The outcomes of records that are sent in one request.
    func submit(records: [JSONValue]) async -> [Result<IntakeAnswer, IntakeProblem>] {
        await intake.submit(records.map(\.canonicalBytes), limit: 1 << 20, vendor: "dejavoo", sender: sender)
    }

    fileprivate func submit(
        _ records: [Spin],
        transaction: String
    ) async -> [Result<IntakeAnswer, IntakeProblem>] {
        await submit(records: records.map { $0.record(transaction: transaction) })
    }
}
