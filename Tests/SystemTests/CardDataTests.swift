import Canonical
import DaybookTestKit
import EventLog
import Foundation
import HTTPRequests
import PostgresCluster
import Synchronization
import Testing

/// Card data and secrets in every place, and then a search through every remaining byte.
@Suite struct CardDataTests {
    @Test func noCardDataIsLeftInAnyFileAnswerOrOutput() async throws {
        for number in CardSecrets.numbers {
            #expect(CardSecrets.checkDigit(String(number.dropLast())) == String(number.suffix(1)), "\(number)")
        }
        let search = try await ByteSearch(for: CardSecrets.needles + [CardSecrets.canary])
        try await Daybook.with { daybook in
            let traces = Traces(directory: daybook.directory + "/traces")
            try await plant(with: daybook, traces)

            // Killed, with whatever is in the files at that moment; the next command recovers it.
            try await search.expectOnlyCanary(below: daybook.directory, in: ["/data/pg_wal/"])
            try await checkContents(with: daybook, traces)
            // Stopped, with everything written to its place.
            try await search.expectOnlyCanary(below: daybook.directory, in: ["/data/base/", "/traces/dump.sql"])
        }
        try await search.remove()
    }

    /// A search that finds nothing proves something only if it can find.
    @Test func theSearchFindsWhatIsThere() async throws {
        try await withTemporaryDirectory { directory in
            let number = CardSecrets.made[0]
            let units = Array(number.utf16)
            let files: [String: [UInt8]] = [
                "plain": Array("\u{0}\u{1}x\(number)y".utf8),
                "little": [0xFF, 0xFE] + units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] },
                "big": [0xFE, 0xFF] + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] },
                "spaced": Array(CardSecrets.grouped(number, by: " ").utf8),
                "single": Array(number.map(String.init).joined(separator: "-").utf8),
                "part": Array("x\(number.dropFirst(2).prefix(11))y".utf8),
                "password": Array("\n\(CardSecrets.passwords[0])\n".utf8),
                "masked": Array("\(number.prefix(6))******\(number.suffix(4))".utf8),
            ]
            for (name, bytes) in files { try Data(bytes).write(to: URL(filePath: "\(directory)/\(name)")) }
            let search = try await ByteSearch(for: CardSecrets.needles)
            let found = try await search.matches(below: directory).compactMap {
                $0.split(separator: ":").first.map(String.init)
            }
            #expect(Set(found) == Set(files.keys.filter { $0 != "masked" }.map { "\(directory)/\($0)" }))
            try await search.remove()
        }
    }

    private func plant(with daybook: Daybook, _ traces: Traces) async throws {
        let key = try await daybook.key(scopes: "documents,events,evidence,read,audit")
        let server = try await daybook.serve(logLevel: "trace", errorFile: traces.path("serve.log"))
        let client = server.client(key)
        var documents = CardDocuments()
        var unexpected: [String] = []
        for (request, status) in documents.all() {
            let answer = try await answer(to: request, on: server.port, key)
            try traces.add(Array(answer.utf8), to: "answers")
            if let status, !answer.hasPrefix("HTTP/1.1 \(status) ") {
                unexpected.append("\(request.target.prefix(40)): \(answer)")
            }
        }
        #expect(unexpected.count == 0, "\(unexpected.prefix(10).joined(separator: "\n"))")
        for target in ["/v1/transactions?limit=1000", "/v1/batches", "/metrics", "/v1/projections"] {
            let answer = try await answer(to: HTTPRequest(target: target), on: server.port, key)
            try traces.add(Array(answer.utf8), to: "answers")
        }
        for event in try await client.all("/v1/events?limit=1000") {
            try traces.add(Array(event.text.utf8), to: "answers")
        }
        try await runCommands(daybook, traces)
        let processes = try await PostgresProcesses(
            of: PrivateCluster(dataDirectory: daybook.directory + "/.daybook")
        )
        try await server.process.kill()
        try processes.kill()
    }

    /// The answer to a request, as it arrives on the wire: status line, fields and body.
    private func answer(to request: HTTPRequest, on port: Int, _ key: String) async throws -> String {
        let fields =
            request.fields + [
                ("Host", "localhost"), ("Authorization", "Bearer \(key)"), ("Connection", "close"),
                ("Content-Length", "\(request.body.count)"),
            ]
        let head = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
        let client = try await RawClient.connect(port: port)
        try await client.send(
            Array("\(request.method) \(request.target) HTTP/1.1\r\n\(head)\r\n".utf8) + request.body
        )
        return try await client.readToEnd()
    }

    /// Runs the command line with card data in files, in arguments and on standard input.
    private func runCommands(_ daybook: Daybook, _ traces: Traces) async throws {
        let number = CardSecrets.made[1]
        let file = daybook.directory + "/\(number).ndjson"
        let lines = [
            #"{"kind":"Spin_Response","body":{"pan":"\#(number)","note":"\#(CardSecrets.track2)"}}"#,
            #"{"kind":"\#(number)","body":{"cvv":"\#(CardSecrets.longCodes[0])"}}"#, "card \(number)",
        ]
        try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: file))
        let commands: [[String]] = [
            ["intake", file, "--vendor", "dejavoo"], ["intake", file, "--vendor", number],
            ["intake", file, "--vendor", "dejavoo", "--json"],
            ["intake", "/nowhere/\(number)", "--vendor", "dejavoo"],
            ["show", number], ["receipt", number], ["batch", number], ["tail", "--stream", number],
            ["tail", "-n", "200", "--json"],
            ["keys", "create", "--tenant", "acme", "--scopes", "read", "--name", number],
            ["keys", "create", "--tenant", number, "--scopes", "read"], ["keys", "revoke", number],
            ["keys", "create", "--tenant", "acme", "--scopes", number], ["keys", "list"], ["rebuild", number],
        ]
        for command in commands {
            let result = try await daybook.run(command)
            // The argument parser repeats its input; nothing of it is stored.
            guard result.exitCode != 64 else { continue }
            try traces.add(Array((result.standardOutput + result.standardError).utf8), to: "commands")
        }
        try FileManager.default.removeItem(atPath: file)
    }

    /// Checks the stored content itself, so that compression hides nothing, and short codes can be searched for.
    private func checkContents(with daybook: Daybook, _ traces: Traces) async throws {
        let url = try await daybook.run("db", "start").standardOutput.trimmingCharacters(
            in: .whitespacesAndNewlines
        )
        let lease = try await TestDatabase.server()
        let dump = try await ChildProgram.run(
            "/bin/sh",
            [
                "-c", #""$1" --dbname="$2" --file="$3""#, "sh", lease.installation.binaryDirectory + "/pg_dump",
                url, traces.path("dump.sql"),
            ]
        )
        #expect(dump.succeeded, "\(dump.standardError)")

        let audit = try await LogAudit(url: url)
        #expect(audit.faults == [])
        for event in audit.events {
            let found = try JSONValue(parsing: event.data.utf8).leaves.filter { leaf in
                (CardSecrets.shortCodes + [CardSecrets.expiry]).contains {
                    leaf.split { !$0.isNumber }.contains($0[...])
                }
            }
            #expect(found.isEmpty, "\(event.position) \(event.type): \(found)")
        }
        // A digest of a card number can be reversed by trying all numbers. The harmless key shows the form of a
        // stored digest.
        for (keys, count) in [([CardDocuments.harmlessKey], "1"), (CardSecrets.numbers, "0")] {
            let digests = keys.map { key in
                let digest = "sha256('3:key\(key.utf8.count):\(key)')"
                return "encode(substring(sha256('acme\\000'::bytea || \(digest)) FOR 16), 'hex')::uuid"
            }
            .joined(separator: ", ")
            let sql = "SELECT count(*) FROM ledger.idempotency WHERE key IN (\(digests))"
            #expect(try await TestDatabase.psql(sql, at: url) == count)
        }
        #expect(try await daybook.run("db", "stop").succeeded)
    }
}

/// Files in which a test collects the output it received, to be searched like the rest.
private struct Traces {
    let directory: String

    init(directory: String) {
        self.directory = directory
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    func path(_ name: String) -> String { "\(directory)/\(name)" }

    func add(_ bytes: [UInt8], to name: String) throws {
        if !FileManager.default.fileExists(atPath: path(name)) {
            _ = FileManager.default.createFile(atPath: path(name), contents: nil)
        }
        guard let handle = FileHandle(forWritingAtPath: path(name)) else { throw TestKitError("cannot write \(name)") }
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }
}

extension ByteSearch {
    /// Expects only the canary in the files and answers, which shows that they were searched.
    fileprivate func expectOnlyCanary(below directory: String, in places: [String]) async throws {
        let found = try await matches(below: directory)
        let secrets = found.filter { !$0.hasSuffix(CardSecrets.canary) }.sorted()
        #expect(secrets.count == 0, "\(secrets.prefix(40).joined(separator: "\n"))")
        for place in places + ["/traces/answers", "/traces/commands"] {
            #expect(found.contains { $0.contains(place) }, "the canary was not found in \(place)")
        }
    }
}

extension JSONValue {
    /// Every text and number in it, the keys included.
    fileprivate var leaves: [String] {
        switch self {
        case .null, .bool: []
        case .number(let number): [number.literal]
        case .string(let text): [text]
        case .array(let elements): elements.flatMap(\.leaves)
        case .object(let object): object.members.flatMap { [$0.key] + $0.value.leaves }
        }
    }
}
