import Access
import ArgumentParser
import Canonical
import Composition
import Postgres
import PostgresCluster

struct DatabaseCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Start a PostgreSQL with an empty ledger, print its URL and an API key; end with standard input."
    )

    @Argument(help: "A directory for its files.")
    var directory: String

    func work() async throws {
        let lease = try await PrivateCluster(dataDirectory: directory).start()
        do {
            let url = lease.connectionString()
            _ = try await LedgerSchema.migrate(PostgresConfiguration(connectionString: url))
            let ledger = MeasuredLedger.open(url)
            let key = try await ledger.run(for: .appending) {
                try await ledger.keys.create(
                    tenant: "cost",
                    scopes: [.documents, .events, .evidence, .read],
                    mode: .test,
                    name: "",
                    expiresAt: nil
                ).key.secret
            }
            try await Self.fixKeyID(url)
            MeasuredLedger.say(["url": .string(url), "key": .string(key)])
            while readLine() != nil {}
            await lease.release()
        } catch {
            await lease.release()
            throw error
        }
    }

    /// The id of the key is in every line of the access log. An id that looks like a card number costs the scrubber
    /// 45,000 instructions, so a random id would change the figures.
    private static func fixKeyID(_ url: String) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        do {
            try await connection.execute("UPDATE access.api_keys SET id = '019b76da-a8aa-7abc-8def-abcdefabcdef'")
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }
}
