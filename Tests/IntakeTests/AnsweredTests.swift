import Canonical
import Payments
import Synchronization
import Testing

@testable import Intake

/// Answers that reach a payment which they may not be about.
@Suite("Answers under another name")
struct AnsweredTests {
    private static let id = "6dc8d0ff-b49a-4f57-8ed7-5ef5d1cb1d1e"

    private func sale(_ amount: Int64) -> JSONValue {
        ["amount": .number(JSONNumber(amount)), "currency": "GBP", "present": true]
    }

    private static let lost: JSONValue = ["status": "Timeout on finance request", "xml": ["SerialNumber": "0123"]]

    private func recovered(
        _ amount: String,
        reader: String = "123",
        at time: String = "20251202120000",
        status: String = "AUTHORISED"
    ) -> JSONValue {
        [
            "statusCode": 1, "status": .string(status), "authorisedAmount": .string(amount),
            "xml": [
                "TransactionType": "SALE", "FinancialStatus": .string(status), "RequestedAmount": .string(amount),
                "TotalAmount": .string(amount), "Currency": "826", "EFTTransactionID": .string(Self.id),
                "EFTTimestamp": .string(time), "SerialNumber": .string(reader), "RecoveredTransaction": "true",
            ],
        ]
    }

    /// The payment in doubt after a result that may be another's, and the anomalies of that result.
    private func result(_ document: JSONValue) async throws -> (TransactionStatus, [Anomaly.Kind]) {
        try await withIntake { intake, log in
            let time = "2025-12-02T12:00:30Z"
            let asked = try await intake.submit(
                "handpoint",
                "saleWithAmount",
                sale(1_000),
                transaction: "order-b",
                occurredAt: time
            )
            _ = try await intake.submit(
                "handpoint",
                "responseError",
                Self.lost,
                transaction: "order-b",
                occurredAt: time
            )
            let answer = try await intake.submit(
                "handpoint",
                "responseRecoveredTransactionStatus",
                document,
                transaction: "order-b",
                occurredAt: "2025-12-02T12:01:00Z"
            )
            return (try await log.payment(asked.stream).status, answer.anomalies.map(\.kind))
        }
    }

    @Test("A recovered result resolves the payment whose reader, amount and time it has")
    func same() async throws {
        let (status, anomalies) = try await result(recovered("1000"))
        #expect(status == .captured)
        #expect(anomalies == [])
    }

    @Test("A recovered result with another amount, reader or day leaves the named payment in doubt, and is flagged")
    func other() async throws {
        for document in [
            recovered("990"), recovered("1200"), recovered("1000", reader: "999"),
            recovered("1000", at: "20251130120000"), recovered("1000", at: "20251205120000"),
            recovered("990", status: "DECLINED"),
        ] {
            let (status, anomalies) = try await result(document)
            #expect(status == .inDoubt)
            #expect(anomalies == [.keysDisagree])
        }
    }

    /// A sale that the reader sent to the host, with an error in the place of its answer or without any.
    private func sell(
        _ amount: Int64,
        as reference: String,
        isInDoubt: Bool = true,
        at time: String = "2025-12-02T12:00:30Z",
        _ intake: TestIntake
    ) async throws -> String {
        let asked = try await intake.submit(
            "handpoint",
            "saleWithAmount",
            sale(amount),
            transaction: reference,
            occurredAt: time
        )
        let sent: JSONValue = ["statusCode": 0x21, "xml": ["SerialNumber": "0123"]]
        _ = try await intake.submit(
            "handpoint",
            isInDoubt ? "responseError" : "responseStatus",
            isInDoubt ? Self.lost : sent,
            transaction: reference,
            occurredAt: time
        )
        return asked.stream
    }

    private func recover(
        _ document: JSONValue,
        as reference: String?,
        _ intake: TestIntake
    ) async throws -> IntakeAnswer {
        try await intake.submit(
            "handpoint",
            "responseRecoveredTransactionStatus",
            document,
            transaction: reference,
            occurredAt: "2025-12-02T12:01:00Z"
        )
    }

    @Test(
        "A recovered result that may be that of another payment at its reader resolves none, and is flagged",
        arguments: [true, false],
        [true, false]
    )
    func ambiguous(isOtherInDoubt: Bool, isNamedInDoubt: Bool) async throws {
        try await withIntake { intake, log in
            let other = try await sell(1_000, as: "order-a", isInDoubt: isOtherInDoubt, intake)
            let named = try await sell(1_000, as: "order-b", isInDoubt: isNamedInDoubt, intake)
            let answer = try await recover(recovered("1000"), as: "order-b", intake)
            #expect(answer.stream == named)
            #expect(answer.anomalies.map(\.kind) == [.keysDisagree] && answer.anomalies.first?.related == [other])
            #expect(try await log.payment(named).status == (isNamedInDoubt ? .inDoubt : .requested))
            #expect(try await log.payment(other).status == (isOtherInDoubt ? .inDoubt : .requested))
            // The other payment names the one with the result.
            let flags = try await log.payment(other).anomalies
            #expect(flags.map(\.kind) == [.keysDisagree] && flags.first?.related == [named])
            // The gateway's id in the result leads to none of them.
            let found = try await recover(recovered("1000", at: "20251202120001"), as: "order-a", intake)
            #expect(found.stream == other && found.anomalies.map(\.kind) == [.keysDisagree])
        }
    }

    @Test("A result that is delivered again is named by the other payment once")
    func repeatedResult() async throws {
        try await withIntake { intake, log in
            let other = try await sell(1_000, as: "order-a", intake)
            // Without the gateway's id, no key leads to the result.
            var document = try #require(recovered("1000").object)
            var xml = try #require(document["xml"]?.object)
            xml["EFTTransactionID"] = nil
            document["xml"] = .object(xml)
            let result = try await recover(.object(document), as: "order-b", intake)
            let again = try await recover(.object(document), as: "order-b", intake)
            #expect(again.isDuplicate && again.stream == result.stream && result.stream != other)
            #expect(try await log.payment(other).anomalies.map(\.related) == [[result.stream]])
        }
    }

    @Test("Only payments with the amount, and without an outcome, make a recovered result ambiguous")
    func unambiguous() async throws {
        try await withIntake { intake, log in
            _ = try await sell(2_000, as: "order-a", intake)
            let other = try await sell(1_000, as: "order-b", intake)
            let resolved = try await recover(recovered("1000"), as: "order-b", intake)
            #expect(resolved.stream == other && resolved.anomalies == [])
            #expect(try await log.payment(other).status == .captured)
        }
    }

    @Test("A recovered result that names no payment is that of the only one in doubt at its reader")
    func unnamed() async throws {
        try await withIntake { intake, log in
            let only = try await sell(1_000, as: "order-a", intake)
            let answer = try await recover(recovered("1000"), as: nil, intake)
            #expect(answer.stream == only && answer.anomalies == [])
            #expect(try await log.payment(only).status == .captured)
        }
        try await withIntake { intake, log in
            let both = [
                try await sell(1_000, as: "order-a", intake), try await sell(1_000, as: "order-b", intake),
            ]
            let answer = try await recover(recovered("1000"), as: nil, intake)
            #expect(!both.contains(answer.stream) && answer.anomalies.first?.related == both.sorted())
            #expect(try await log.payment(answer.stream).status == .captured)
            for stream in both {
                let payment = try await log.payment(stream)
                #expect(payment.status == .inDoubt && payment.anomalies.map(\.related) == [[answer.stream]])
            }
        }
    }

    /// The name of a payment whose documents arrive after a result that was delivered under it.
    @Test(
        "A result that arrives before the documents of the named payment leaves the name to it",
        arguments: [["request", "error"], ["error", "request"]],
        [Int64(1_000), 2_000]
    )
    func resultFirst(order: [String], amount: Int64) async throws {
        try await withIntake { intake, log in
            let other = try await sell(1_000, as: "order-a", intake)
            let result = try await recover(recovered("1000"), as: "order-b", intake)
            #expect(result.stream != other && result.anomalies.first?.related == [other])
            #expect(try await log.payment(other).anomalies.map(\.related) == [[result.stream]])
            var named = ""
            for document in order {
                let isRequest = document == "request"
                named = try await intake.submit(
                    "handpoint",
                    isRequest ? "saleWithAmount" : "responseError",
                    isRequest ? sale(amount) : Self.lost,
                    transaction: "order-b",
                    occurredAt: "2025-12-02T12:00:30Z"
                ).stream
            }
            let payment = try await log.payment(named)
            #expect(named != result.stream && payment.status == .inDoubt && payment.captured == 0)
            // It is named only if it may be that of the payment.
            let mayBe = amount == 1_000
            #expect(payment.anomalies.map(\.related) == (mayBe ? [[result.stream]] : []))
            let flags = try await log.payment(result.stream).anomalies.map(\.related)
            #expect(flags == (mayBe ? [[other], [named]] : [[other]]))
            // The gateway's own answer about it is found by its id.
            let again = try await recover(recovered("1000", at: "20251202120001"), as: nil, intake)
            #expect(again.stream == result.stream)
        }
    }

    @Test(
        "A result that is recorded before all payments is named by the one that gets into doubt later",
        arguments: [String?.none, "order-b"]
    )
    func resultBeforeAll(name: String?) async throws {
        try await withIntake { intake, log in
            let result = try await recover(recovered("1000"), as: name, intake)
            #expect(result.anomalies == [])
            let payment = try await sell(1_000, as: "order-a", intake)
            let state = try await log.payment(payment)
            #expect(payment != result.stream && state.status == .inDoubt && state.captured == 0)
            #expect(state.anomalies.map(\.kind) == [.keysDisagree] && state.anomalies.first?.related == [result.stream])
            // Another amount, and a payment of a later day.
            for other in [
                try await sell(2_000, as: "order-c", intake),
                try await sell(1_000, as: "order-d", at: "2025-12-04T12:00:30Z", intake),
            ] {
                #expect(try await log.payment(other).anomalies == [])
            }
            let flagged = try await log.payment(result.stream)
            #expect(flagged.status == .captured && flagged.anomalies.map(\.related) == [[payment]])
        }
    }

    @Test("A result without a time is that of no payment that began more than a day later")
    func oldResult() async throws {
        try await withIntake { intake, log in
            _ = try await sell(1_000, as: "order-a", intake)
            var document = try #require(recovered("1000").object)
            var xml = try #require(document["xml"]?.object)
            xml["EFTTimestamp"] = nil
            document["xml"] = .object(xml)
            let result = try await recover(.object(document), as: "order-b", intake)
            let later = try await sell(1_000, as: "order-c", at: "2025-12-04T12:00:30Z", intake)
            let same = try await sell(1_000, as: "order-d", at: "2025-12-02T12:05:00Z", intake)
            let payment = try await log.payment(later)
            #expect(payment.status == .inDoubt && payment.anomalies.isEmpty)
            #expect(try await log.payment(same).anomalies.map(\.related) == [[result.stream]])
        }
    }

    @Test("A result that another process recorded is named by the payment that it may be of")
    func listedResult() async throws {
        let listed = Mutex<[UUID128]>([])
        let flagged: TransactionRecorder.StoredResults = { reader, tenant, _ in
            reader == ReaderReference(vendor: .handpoint, serial: "123") && tenant == "acme"
                ? listed.withLock { $0 } : []
        }
        let memory = PaymentMemory()
        try await withIntake(memory: memory, storedResults: flagged) { intake, log in
            _ = try await sell(1_000, as: "order-a", intake)
            let result = try await recover(recovered("1000"), as: "order-b", intake)
            let id = try #require(UUID128(String(result.stream.dropFirst("transaction/".count))))
            memory.clear()
            listed.withLock { $0 = [id] }
            let named = try await sell(1_000, as: "order-b", intake)
            #expect(try await log.payment(named).anomalies.map(\.related) == [[result.stream]])
        }
    }

    @Test("Payments that another process recorded make a recovered result ambiguous")
    func listed() async throws {
        let listed = Mutex<[UUID128]>([])
        let open: TransactionRecorder.PaymentsAtReader = { reader, tenant in
            reader == ReaderReference(vendor: .handpoint, serial: "123") && tenant == "acme"
                ? listed.withLock { $0 } : []
        }
        let memory = PaymentMemory()
        try await withIntake(memory: memory, openPayments: open) { intake, log in
            let other = try await sell(1_000, as: "order-a", intake)
            memory.clear()
            let id = try #require(UUID128(String(other.dropFirst("transaction/".count))))
            listed.withLock { $0 = [id] }
            let named = try await sell(1_000, as: "order-b", intake)
            let answer = try await recover(recovered("1000"), as: "order-b", intake)
            #expect(answer.stream == named && answer.anomalies.first?.related == [other])
            #expect(try await log.payment(named).status == .inDoubt)
        }
    }

    private func legacy(_ rrn: String, _ id: String) -> JSONValue {
        [
            "BaseAmt": ["Amt": "100.00"], "TxDetail": ["Tpn": "544424127175"],
            "Response": ["RespCode": "00", "Rrn": .string(rrn), "DTxId": .string(id), "BatchNo": "63"],
        ]
    }

    @Test("An answer without a type is that of the void that was asked for, and no second sale")
    func legacyVoid() async throws {
        try await withIntake { intake, log in
            let sale = try await intake.submit(
                "dejavoo",
                "didReceiveResponse",
                legacy("413613500098", "1"),
                transaction: "order-1"
            )
            _ = try await intake.submit(
                "dejavoo",
                "makeARequestBasedOnTransactionTypes",
                ["type": "VOID", "Amount": "413613500098"],
                transaction: "order-1"
            )
            let void = try await intake.submit(
                "dejavoo",
                "didReceiveResponse",
                legacy("413613500771", "2"),
                transaction: "order-1"
            )
            #expect(void.stream == sale.stream && void.types == ["DocumentReceived", "Voided"])
            #expect(try await log.payment(sale.stream).status == .voided)
        }
    }
}
