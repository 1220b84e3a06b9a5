import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Testing
import Vendors

/// Many records of one request, decided before any of them is in the log.
@Suite struct WindowTests {
    @Test func aFollowUpSeesEarlierRecordsOfItsRequest() async throws {
        try await withIntake { intake, log in
            let answers = try await intake.submit([
                Spin(rrn: "1", txn: "A1", total: "5.00"), Spin(rrn: "2", txn: "B2", total: "6.00"),
                Spin(rrn: "3", txn: "A1", total: "5.00", label: "Void"),
            ]).map { try $0.get() }
            #expect(answers[2].stream == answers[0].stream)
            #expect(answers[1].stream != answers[0].stream)
            #expect(answers.flatMap(\.positions) == (1...Int64(answers.flatMap(\.positions).count)).map(\.self))
            #expect(try await log.payment(answers[0].stream).status == .voided)
            #expect(try await log.payment(answers[1].stream).status == .captured)
        }
    }

    @Test func aDuplicateWithinARequestGetsTheFirstAnswer() async throws {
        try await withIntake { intake, log in
            let sale = Spin(rrn: "1", txn: "A1", total: "5.00")
            let void = Spin(rrn: "3", txn: "A1", total: "5.00", label: "Void")
            let answers = try await intake.submit([sale, sale, void, sale, void]).map { try $0.get() }
            #expect(answers.map(\.isDuplicate) == [false, true, false, true, true])
            #expect(answers[1].positions == answers[0].positions)
            #expect(answers[4].types == answers[2].types)
            #expect(try await log.payment(answers[0].stream).status == .voided)
            #expect(try await log.events().count == answers[0].types.count + answers[2].types.count)
        }
    }

    /// A statement about another payment must name one that exists: here the first record of the request proves to be a
    /// repeat, so the payment it seemed to begin never existed.
    @Test func aLinkLeadsToThePaymentThatIsInTheLog() async throws {
        try await withIntake { intake, log in
            let first = try await intake.submit(Spin(rrn: "1", txn: "A1", total: "5.00"))
            let other = try intake.forgetful(log)
            let answers = try await other.submit([
                Spin(rrn: "1", txn: "A1", total: "5.00"), Spin(rrn: "1", txn: "B2", total: "7.00"),
            ]).map { try $0.get() }
            #expect(answers[0].isDuplicate)
            #expect(answers[0].stream == first.stream)
            #expect(answers[1].anomalies.first?.related == [first.stream])
            #expect(try await log.payment(answers[1].stream).linked == [first.stream])
        }
    }

    @Test func paymentsThatAreNotInMemoryAreRead() async throws {
        try await withIntake { intake, log in
            let sales = (0..<6).map { Spin(rrn: "\($0)", txn: "A\($0)", total: "5.00") }
            let first = try await intake.submit(sales).map { try $0.get() }
            let other = try intake.forgetful(log)
            let voids = (0..<6).map { Spin(rrn: "9\($0)", txn: "A\($0)", total: "5.00", label: "Void") }
            let second = try await other.submit(voids).map { try $0.get() }
            #expect(second.map(\.stream) == first.map(\.stream))
            for answer in first { #expect(try await log.payment(answer.stream).status == .voided) }
            // The memory of one intake is outdated by now; the append detects it.
            let late = (0..<6).map { Spin(rrn: "8\($0)", txn: "A\($0)", total: "5.00", extra: "WIFI") }
            let third = try await intake.submit(late).map { try $0.get() }
            #expect(third.map(\.stream) == first.map(\.stream))
            #expect(TestLog.faults(of: try await log.events()) == [])
        }
    }

    @Test func aDuplicateUnderAnotherKeyGetsTheFirstAnswer() async throws {
        try await withIntake { intake, log in
            let sale = Spin(rrn: "1", txn: "A1", total: "5.00")
            let first = try await intake.submit(sale, key: "one")
            for _ in 0..<2 {
                let again = try await intake.submit(sale, key: "two")
                #expect(again.isDuplicate)
                #expect(again.positions == first.positions)
                #expect(again.types == first.types)
            }
            let repeats = try await log.events().filter { $0.type == "RequestRepeated" }
            #expect(repeats.map(\.data) == ["{\"position\":1,\"count\":\(first.positions.count)}"])
            await #expect(throws: IntakeProblem.self) {
                try await intake.submit(Spin(rrn: "2", txn: "B2", total: "5.00"), key: "two")
            }
        }
    }

    /// Sent together or one by one, the same records give the same events.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func batchesGiveTheEventsOfSingleRecords(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let labels = ["Sale", "Sale", "Void", "Refund"]
        let records = (0..<60).map { _ in
            let number = Int.random(in: 0..<12, using: &random)
            return Spin(
                rrn: "\(Int.random(in: 0..<20, using: &random))",
                txn: "A\(number)",
                total: "\(number).00",
                label: labels.randomElement(using: &random) ?? "Sale"
            )
        }
        let together = try await withIntake { intake, log in
            _ = try await intake.submit(records).map { try $0.get() }
            return try await log.story()
        }
        let alone = try await withIntake { intake, log in
            for record in records { _ = try await intake.submit(record) }
            return try await log.story()
        }
        #expect(together == alone)
    }
}

extension TestIntake {
    /// The outcomes of records that are sent in one request.
    func submit(_ records: [Spin]) async -> [Result<IntakeAnswer, IntakeProblem>] {
        await submit(records: records.map { $0.record() })
    }

    func submit(_ record: Spin, key: String) async throws -> IntakeAnswer {
        let line: JSONValue = ["kind": "Spin_Response", "body": record.body]
        return try await intake.submit(
            line.canonicalBytes,
            vendor: "dejavoo",
            idempotencyKey: key,
            sender: sender
        )
    }

    /// Another intake over the same log with empty memory, as after a restart.
    func forgetful(_ log: TestLog, memory: PaymentMemory = PaymentMemory()) throws -> TestIntake {
        TestIntake(intake: DocumentIntake(adapters: VendorAdapters.all, recorder: log.recorder(memory: memory)))
    }
}

extension TestLog {
    /// The events, with each stream named by the order of its first event.
    fileprivate func story() async throws -> [String] {
        var names: [String: String] = [:]
        let events = try await events()
        for event in events where names[event.stream] == nil { names[event.stream] = "stream-\(names.count)" }
        return events.map { event in
            let data = names.reduce(event.data) { $0.replacing($1.key, with: $1.value) }
            return "\(event.position) \(names[event.stream] ?? "") \(event.version) \(event.type) \(data)"
        }
    }
}
