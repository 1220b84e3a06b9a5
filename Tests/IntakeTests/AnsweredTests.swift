import Canonical
import Payments
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
        at time: String = "20260302120000",
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
            let time = "2026-03-02T12:00:30Z"
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
                occurredAt: "2026-03-02T12:01:00Z"
            )
            return (try await log.payment(asked.stream).status, answer.anomalies.map(\.kind))
        }
    }

    @Test("A recovered result resolves the payment whose reader, amount and time it has")
    func same() async throws {
        let (status, anomalies) = try await result(recovered("1000"))
        #expect(status == .captured && anomalies == [])
    }

    @Test("A recovered result with another amount, reader or day leaves the named payment in doubt, and is flagged")
    func other() async throws {
        for document in [
            recovered("990"), recovered("1200"), recovered("1000", reader: "999"),
            recovered("1000", at: "20260228120000"), recovered("990", status: "DECLINED"),
        ] {
            let (status, anomalies) = try await result(document)
            #expect(status == .inDoubt && anomalies == [.keysDisagree])
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
