import DaybookTestKit
import Postgres
import Testing

struct StreamAndCopyTests {
    private struct Stop: Error {}

    /// Two gigabytes, and a sequence that shows how far the server has come.
    private static let manyRows = "SELECT repeat('x', 4000), nextval('produced') FROM generate_series(1, 500000)"

    /// How far the server had come when it stopped: the value read a hundred times in a row.
    private static func restingValue(_ observer: PostgresConnection) async throws -> Int64 {
        var value: Int64 = 0
        var sightings = 0
        while sightings < 100 {
            let next = try await observer.query("SELECT last_value FROM produced").single().int64(0)
            sightings = next == value ? sightings + 1 : 0
            value = next
        }
        return value
    }

    @Test func streamsHalfAMillionRows() async throws {
        try await withConnection { connection in
            var count: Int64 = 0
            var sum: Int64 = 0
            try await connection.stream(
                "SELECT n, repeat('x', 100) FROM generate_series(1, $1) AS n",
                [.int64(500_000)]
            ) {
                row in
                count += 1
                sum += try row.int64(0)
            }
            #expect(count == 500_000)
            #expect(sum == 500_000 * 500_001 / 2)
            #expect(connection.condition == .ready)
        }
    }

    @Test func aSlowBodyHoldsTheServerBack() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script("CREATE SEQUENCE produced")
            var count = 0
            let error = await failure {
                try await connection.transaction { transaction in
                    await #expect(throws: Stop.self) {
                        try await transaction.stream(Self.manyRows) { _ in
                            if count == 0 {
                                let produced = try await Self.restingValue(observer)
                                #expect(produced < 20_000)
                            }
                            count += 1
                            if count == 10_000 { throw Stop() }
                        }
                    }
                }
            }
            #expect(count == 10_000)
            // Stopping the statement has failed the transaction.
            #expect(error?.code == .transactionRolledBack)
            #expect(connection.condition == .ready)
        }
    }

    @Test func anErrorHalfwayEndsTheStream() async throws {
        try await withConnection { connection in
            var count = 0
            let error = await failure {
                try await connection.stream("SELECT 1 / (500 - n) FROM generate_series(1, 1000) AS n") { _ in count += 1
                }
            }
            #expect(error?.sqlState == "22012")
            #expect(count == 499)
            try await connection.stream("SELECT 1") { _ in count += 1 }
            #expect(count == 500)
            #expect(await failure { try await connection.stream("SELEC") { _ in } }?.sqlState == "42601")
            #expect(connection.condition == .ready)
        }
    }

    @Test func aStreamIsCancelledAndTheConnectionGoesOn() async throws {
        try await withConnection { connection in
            let task = Task {
                await failure {
                    try await connection.stream("SELECT generate_series(1, 100000000)") { row in
                        if try row.int32(0) == 1_000 { withUnsafeCurrentTask { $0?.cancel() } }
                    }
                }
            }
            #expect(await task.value?.code == .cancelled)
            #expect(connection.condition == .ready)
            var rows = 0
            try await connection.stream("SELECT 1") { _ in rows += 1 }
            #expect(rows == 1)
        }
    }

    @Test func aStreamIsNotInterrupted() async throws {
        try await withConnection { connection in
            try await connection.stream("SELECT 1") { _ in
                #expect(await failure { try await connection.query("SELECT 2") }?.code == .connectionBusy)
            }
        }
    }

    @Test func copiesTwoHundredThousandRowsBothWays() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE copied (n int8, t text)")
            let rows = 200_000
            let written = try await connection.copyIn("COPY copied FROM STDIN WITH (FORMAT csv)") { writer in
                for number in 0..<rows {
                    try await writer.write(Array("\(number),row \(number)\n".utf8))
                }
            }
            #expect(written == rows)
            var lines = 0
            var largest = 0
            let read = try await connection.copyOut("COPY copied TO STDOUT WITH (FORMAT csv)") { piece in
                lines += piece.count { $0 == UInt8(ascii: "\n") }
                largest = max(largest, piece.count)
            }
            #expect(read == rows)
            #expect(lines == rows)
            #expect(largest < 128 << 10)
            let sum = try await connection.query("SELECT sum(n)::int8 FROM copied").single().int64(0)
            #expect(sum == Int64(rows) * Int64(rows - 1) / 2)
        }
    }

    @Test func copiesRowsInBinaryAndChunks() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE copied (n int8, b bytea, a text[], j jsonb, u uuid)")
            let values: [PostgresValue] = [
                .int64(-1), .bytea([0, 255]), .textArray(["x", nil]), .jsonb("{}"), .null,
            ]
            let count = try await connection.copyIn("COPY copied FROM STDIN WITH (FORMAT binary)") { writer in
                for _ in 0..<3 { try await writer.row(values) }
            }
            #expect(count == 3)
            for row in try await connection.query("SELECT * FROM copied") {
                for (column, value) in values.enumerated() { #expect(try row.read(like: value, column) == value) }
            }
            let chunks = AsyncStream<[UInt8]> { continuation in
                for text in ["1\n2", "\n3\n"] { continuation.yield(Array(text.utf8)) }
                continuation.finish()
            }
            let fromChunks = try await connection.copyIn("COPY copied (n) FROM STDIN", chunks: chunks)
            #expect(fromChunks == 3)
        }
    }

    @Test func anAbandonedCopyLeavesNothing() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE copied (n int8 CHECK (n < 100))")
            await #expect(throws: Stop.self) {
                try await connection.copyIn("COPY copied FROM STDIN") { writer in
                    try await writer.write(Array("1\n".utf8))
                    throw Stop()
                }
            }
            let check = await failure {
                try await connection.copyIn("COPY copied FROM STDIN") { writer in
                    for number in 0..<100_000 { try await writer.write(Array("\(number)\n".utf8)) }
                }
            }
            #expect(check?.sqlState == "23514")
            let format = await failure {
                try await connection.copyIn("COPY copied FROM STDIN") { try await $0.write(Array("x\n".utf8)) }
            }
            #expect(format?.sqlState == "22P02")
            await #expect(throws: Stop.self) {
                try await connection.copyOut("COPY (SELECT generate_series(1, 10000000)) TO STDOUT") { _ in throw Stop()
                }
            }
            #expect(connection.condition == .ready)
            let count = try await connection.query("SELECT count(*) FROM copied").single().int64(0)
            #expect(count == 0)
        }
    }

    @Test func aCancelledCopyEndsAndTheConnectionGoesOn() async throws {
        try await withConnection { connection in
            try await connection.script("CREATE TABLE copied (n int8)")
            let task = Task {
                await failure {
                    try await connection.copyIn("COPY copied FROM STDIN") { writer in
                        withUnsafeCurrentTask { $0?.cancel() }
                        while true { try await writer.write([UInt8](repeating: UInt8(ascii: "\n"), count: 100_000)) }
                    }
                }
            }
            #expect(await task.value?.code == .cancelled)
            #expect(connection.condition == .ready)
            let count = try await connection.query("SELECT count(*) FROM copied").single().int64(0)
            #expect(count == 0)
        }
    }

    @Test func aSlowReaderHoldsACopyBack() async throws {
        try await withObservedConnection { connection, observer in
            try await observer.script("CREATE SEQUENCE produced")
            var isFirst = true
            await #expect(throws: Stop.self) {
                try await connection.copyOut("COPY (\(Self.manyRows)) TO STDOUT") { _ in
                    guard isFirst else { throw Stop() }
                    isFirst = false
                    let produced = try await Self.restingValue(observer)
                    #expect(produced < 20_000)
                }
            }
            let next = try await connection.query("SELECT 1").single().int32(0)
            #expect(next == 1)
        }
    }

    @Test func misplacedCopyIsRefused() async throws {
        try await withConnection { connection in
            let wrong = await failure { try await connection.copyIn("SELECT 1") { _ in } }
            #expect(wrong?.code == .protocolViolation)
            #expect(connection.condition == .ready)
            try await connection.script("CREATE TABLE copied (n int8)")
            let stray = await failure { try await connection.query("COPY copied FROM STDIN") }
            #expect(stray?.code == .protocolViolation)
            // The session cannot be continued safely from here.
            #expect(connection.condition == .broken)
        }
    }
}
