import DaybookTestKit
import Postgres
import Testing

struct ListenTests {
    @Test func notificationsArriveWhileTheConnectionIsIdle() async throws {
        try await withObservedConnection { connection, observer in
            let notifications = try await connection.listen(to: ["news", "Odd \"name\""])
            let first = Task {
                var iterator = notifications.makeAsyncIterator()
                return try await iterator.next()
            }
            _ = try await observer.query("SELECT pg_notify('news', 'one')")
            #expect(try await first.value == PostgresNotification(channel: "news", payload: "one"))
            var iterator = notifications.makeAsyncIterator()
            try await observer.script("NOTIFY \"Odd \"\"name\"\"\"; NOTIFY elsewhere, 'no'; NOTIFY news")
            #expect(try await iterator.next() == PostgresNotification(channel: "Odd \"name\"", payload: ""))
            #expect(try await iterator.next() == PostgresNotification(channel: "news", payload: ""))
        }
    }

    @Test func listeningDoesNotKeepOthersFromUsingTheConnection() async throws {
        try await withConnection { connection in
            let notifications = try await connection.listen(to: ["news"])
            for number in 0..<10 {
                _ = try await connection.query("SELECT pg_notify('news', $1)", [.text("\(number)")])
            }
            var iterator = notifications.makeAsyncIterator()
            for number in 0..<10 {
                #expect(try await iterator.next()?.payload == "\(number)")
            }
        }
    }

    @Test func aSlowReaderCostsNoMemory() async throws {
        try await withObservedConnection { connection, observer in
            let notifications = try await connection.listen(to: ["news", "other"])
            _ = try await observer.query("SELECT pg_notify('news', (n % 10)::text) FROM generate_series(1, 1000) AS n")
            _ = try await observer.query("SELECT pg_notify('other', n::text) FROM generate_series(1, 1000) AS n")
            _ = try await observer.query("SELECT pg_notify('news', 'last')")
            // Notifications arrive in order, so once this returns they have been delivered.
            _ = try await connection.query("SELECT 1")
            var iterator = notifications.makeAsyncIterator()
            var received: [PostgresNotification] = []
            while received.last?.payload != "last", let next = try await iterator.next() { received.append(next) }
            #expect(received.filter { $0.channel == "news" }.count == 11)
            #expect(received.filter { $0.channel == "other" } == [PostgresNotification(channel: "other", payload: nil)])
        }
    }

    @Test func cancellingTheReaderEndsTheStream() async throws {
        try await withConnection { connection in
            let notifications = try await connection.listen(to: ["news"])
            let reader = Task {
                var count = 0
                for try await _ in notifications { count += 1 }
                return count
            }
            reader.cancel()
            #expect(try await reader.value == 0)
            let next = try await connection.query("SELECT 1").single().int32(0)
            #expect(next == 1)
        }
    }

    @Test func unlistenEndsTheStream() async throws {
        try await withConnection { connection in
            let notifications = try await connection.listen(to: ["news"])
            try await connection.unlisten()
            for try await _ in notifications { Issue.record("nothing was sent") }
        }
    }

    @Test func aLostConnectionEndsTheStreamWithAnError() async throws {
        try await withObservedConnection { connection, observer in
            let notifications = try await connection.listen(to: ["news"])
            let process = try await connection.backendProcess
            async let error = failure { for try await _ in notifications {} }
            try await observer.terminate(process)
            #expect(await error?.code == .connectionLost)
        }
    }
}
