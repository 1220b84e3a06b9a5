import Canonical
import DaybookTestKit
import EventLog
import Intake
import Payments
import Vendors

/// A Dejavoo V2 document with the fields that distinguish payments.
struct Spin {
    var rrn: String
    var txn: String
    var total: String
    var tpn: String?
    var label = "Sale"
    var extra: String?

    var body: JSONValue {
        var details: JSONObject = [
            "BaseAmount": .string(total), "TotalAmt": .string(total), "RespCode": "00", "RRN": .string(rrn),
            "txnId": .string(txn), "txnLabel": .string(label), "BatchNum": "121", "DateTime": "20240222173537",
        ]
        if let tpn { details["Tpn"] = .string(tpn) }
        if let extra { details["Date"] = .string(extra) }
        return [
            "Spin_Response": [
                "AuthCode": .string("AC\(txn)"), "ResultCode": "0", "Message": "APPROVED", "HostResponseCode": "00",
                "ExtData": .object(details),
            ]
        ]
    }
}

/// An intake on a leased database, for one tenant.
struct TestIntake: Sendable {
    let intake: DocumentIntake
    var sender = Sender(tenant: "acme", actor: "test", correlation: "test")

    func submit(_ spin: Spin, transaction: String? = nil) async throws -> IntakeAnswer {
        try await submit("dejavoo", "Spin_Response", spin.body, transaction: transaction)
    }

    func submit(
        _ vendor: String,
        _ kind: String,
        _ body: JSONValue,
        transaction: String? = nil,
        terminal: String? = nil,
        occurredAt: String? = nil
    ) async throws -> IntakeAnswer {
        var record: JSONObject = ["kind": .string(kind), "body": body]
        if let terminal { record["terminal"] = .string(terminal) }
        if let occurredAt { record["occurredAt"] = .string(occurredAt) }
        if let transaction { record["transaction"] = .string(transaction) }
        return try await intake.submit(JSONValue.object(record).canonicalBytes, vendor: vendor, sender: sender)
    }
}

func withIntake<Result: Sendable>(
    limits: IntakeLimits = IntakeLimits(),
    memory: PaymentMemory = PaymentMemory(),
    openPayments: @escaping TransactionRecorder.PaymentsAtReader = { _, _ in [] },
    storedResults: @escaping TransactionRecorder.StoredResults = { _, _, _ in [] },
    _ body: @Sendable (TestIntake, TestLog) async throws -> Result
) async throws -> Result {
    try await TestLog.with { log in
        let recorder = log.recorder(
            memory: memory,
            openPayments: openPayments,
            storedResults: storedResults
        )
        let intake = DocumentIntake(adapters: VendorAdapters.all, recorder: recorder, limits: limits)
        async let gathering: Void = intake.run()
        do {
            let result = try await body(TestIntake(intake: intake), log)
            await intake.close()
            await gathering
            return result
        } catch {
            await intake.close()
            await gathering
            throw error
        }
    }
}

extension TestLog {
    /// - Parameter other: The sequencer to append with; by default the log's own.
    func recorder(
        sequencer other: Sequencer? = nil,
        memory: PaymentMemory = PaymentMemory(),
        openPayments: @escaping TransactionRecorder.PaymentsAtReader = { _, _ in [] },
        storedResults: @escaping TransactionRecorder.StoredResults = { _, _, _ in [] }
    ) -> TransactionRecorder {
        TransactionRecorder(
            sequencer: other ?? sequencer,
            reader: reader,
            ids: UUIDv7Generator(clock: clock),
            clock: clock,
            memory: memory,
            openPayments: openPayments,
            storedResults: storedResults
        )
    }

    /// A payment of the tenant, folded from the log.
    func payment(_ stream: String, of tenant: String = "acme") async throws -> TransactionState {
        TransactionState(folding: try await reader.stream(stream, of: tenant).map(TransactionEvent.init))
    }
}
