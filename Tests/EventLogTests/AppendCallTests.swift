import Canonical
import DaybookTestKit
import EventLog
import Postgres
import Testing

/// `ledger.append` writes small batches with other statements than large ones; the results must be identical.
struct AppendCallTests {
    private static func item(_ stream: String, _ version: Int64, key: String? = nil, count: Int = 1) -> AppendItem {
        .sample(stream, expected: .version(version), keys: key.map { [.sample($0)] } ?? [], count: count)
    }

    @Test func batchesOfEverySizeAreWrittenCompletely() async throws {
        try await withAppendCalls([
            [Self.item("a", 0, key: "k1")],
            [Self.item("a", 1)],
            [Self.item("b", 0, key: "k2", count: 3)],
            [Self.item("a", 2, key: "k3"), Self.item("c", 0, key: "k4", count: 2), Self.item("d", 0)],
            [Self.item("a", 3), Self.item("b", 3, count: 2)],
        ]) { connection, calls in
            for call in calls {
                let isWritten = try await append(call, on: connection)
                #expect(isWritten)
            }
            let events = """
                SELECT string_agg(position || stream || version || coalesce(claims::json ->> 'events', ''), ' '
                                  ORDER BY position) FROM ledger.events
                """
            #expect(
                try await connection.query(events).single().text(0)
                    == "1a11 2a2 3b13 4b2 5b3 6a31 7c12 8c2 9d1 10a4 11b4 12b5"
            )
            let streams =
                "SELECT string_agg(stream || version || first_position, ' ' ORDER BY stream) FROM ledger.streams"
            #expect(try await connection.query(streams).single().text(0) == "a41 b53 c27 d19")
            let keys = "SELECT string_agg(position || '+' || events, ' ' ORDER BY position) FROM ledger.idempotency"
            #expect(try await connection.query(keys).single().text(0) == "1+1 3+3 6+1 7+2")
        }
    }

    /// A call computed for a log of another length does nothing.
    @Test(arguments: [1, 2]) func aCallForAnotherEndOfTheLogIsNotMade(items: Int) async throws {
        let batch = (0..<items).map { Self.item("s\($0)", 0) }
        try await withAppendCalls([batch, [Self.item("t", 0)]]) { connection, calls in
            let isWritten = try await append(calls[0], on: connection)
            #expect(isWritten)
            let repeated = try await append(calls[0], on: connection)
            #expect(!repeated)
            #expect(try await connection.query("SELECT count(*) FROM ledger.events").single().int64(0) == Int64(items))
        }
    }

    @Test(
        arguments: [
            ([item("a", 7)], "DB001"),
            ([item("a", 7), item("n", 0)], "DB001"),
            ([item("a", 1), item("b", 7)], "DB001"),
            ([item("n", 0), item("missing", 2)], "DB001"),
            ([item("missing", 2)], "DB001"),
            ([item("a", 0)], "23505"),
            ([item("a", 0), item("n", 0)], "23505"),
            ([item("a", 1, key: "held")], "23505"),
            ([item("a", 1, key: "held"), item("n", 0, key: "free")], "23505"),
        ]
    )
    func aBatchOnAWrongGuessIsRefusedAndUndone(_ batch: [AppendItem], _ state: String) async throws {
        let before = [Self.item("a", 0, key: "held"), Self.item("b", 0)]
        try await withAppendCalls([before, batch]) { connection, calls in
            let isWritten = try await append(calls[0], on: connection)
            #expect(isWritten)
            await #expect {
                _ = try await append(calls[1], on: connection)
            } throws: { error in
                (error as? PostgresError)?.sqlState == state
            }
            let rows = """
                SELECT (SELECT position FROM ledger.head) || '/' || (SELECT count(*) FROM ledger.events) || '/'
                    || (SELECT sum(version) FROM ledger.streams) || '/' || (SELECT count(*) FROM ledger.idempotency)
                """
            #expect(try await connection.query(rows).single().text(0) == "2/2/2/1")
        }
    }

    private func withAppendCalls(
        _ batches: [[AppendItem]],
        _ body: @Sendable (PostgresConnection, [EncodedParameters]) async throws -> Void
    ) async throws {
        let calls = try AppendCalls.parameters(batches, now: Timestamp(microsecondsSince1970: 1_767_225_600_000_000))
        try await withTestDatabase(template: .ledger) { url in
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
            try await connection.script(AppendCalls.planning)
            try await body(connection, calls)
            await connection.close()
        }
    }

    private func append(_ call: EncodedParameters, on connection: PostgresConnection) async throws -> Bool {
        try await connection.query(AppendCalls.sql, encoded: call).single().bool(0)
    }
}
