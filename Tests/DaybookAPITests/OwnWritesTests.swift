import Canonical
import DaybookTestKit
import Postgres
import Testing

/// A client reads its own writes without `min_position`.
struct OwnWritesTests {
    private func sale(_ number: Int) throws -> JSONValue {
        try Sample.named("Authorisation")
            .with("body", "BridgeCommResponse", "gatewayTransactionID", as: .string("\(310_000_000 + number)"))
            .with("body", "BridgeCommResponse", "transactionID", as: .string("own-\(number)"))
            .with("body", "BPNPaymentRequest", "invoiceNumber", as: .string("own-\(number)"))
            .record
    }

    @Test("The request after an acknowledged payment finds it: 200 of 200")
    func aPaymentIsThereOnceItIsAcknowledged() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            for number in 1...200 {
                let taken = try await caller.take("bridgepay", try sale(number))
                let id = try #require(taken["transaction"]?.string)
                let found =
                    switch number % 4 {
                    case 0: try await caller.get("/v1/transactions/\(id)/receipt")
                    case 1: try await caller.get("/v1/transactions?gateway_id=\(310_000_000 + number)")
                    default: try await caller.get("/v1/transactions/\(id)")
                    }
                #expect(found.status == 200, "payment \(number): \(found.body)")
                if number % 4 == 1 { #expect(try found.json["items"]?.array?.count == 1, "payment \(number)") }
            }
        }
    }

    @Test("A read model that lags too far answers 503, never 404; plain lists stay readable")
    func aReadModelThatLagsAnswers503() async throws {
        try await TestAPI.serve(waitLimit: .milliseconds(200)) { api in
            let caller = try await api.caller()
            let first = try await caller.take("bridgepay", try sale(1))
            let earlier = try #require(first["transaction"]?.string)
            _ = try await eventually {
                try await caller.get("/v1/transactions/\(earlier)").status
            } is: {
                $0 == 200
            }
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: api.url))
            try await connection.transaction { transaction in
                // While this lock is held, the runners cannot move the checkpoints of these read models.
                _ = try await transaction.query(
                    """
                    SELECT name FROM projection.checkpoints
                    WHERE name IN ('transactions', 'receipts', 'anomalies') FOR UPDATE
                    """,
                    []
                )
                let second = try await caller.take("bridgepay", try sale(2))
                let id = try #require(second["transaction"]?.string)
                for path in [
                    "/v1/transactions/\(id)", "/v1/transactions/\(id)/receipt", "/v1/transactions/\(earlier)",
                    "/v1/transactions?gateway_id=310000002", "/v1/anomalies?transaction=\(id)",
                ] {
                    let answer = try await caller.get(path)
                    #expect(answer.status == 503 && answer.code == "projection-behind", "\(path): \(answer.body)")
                    #expect(answer.fields["retry-after"] != nil, "\(path)")
                }
                #expect(try await caller.get("/v1/transactions").json["items"]?.array?.count == 1)
                #expect(try await caller.get("/v1/transactions/\(id)?as_of=2030-01-01T00:00:00Z").status == 200)
            }
            await connection.close()
        }
    }
}
