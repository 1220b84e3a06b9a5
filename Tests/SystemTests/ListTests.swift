import Canonical
import DaybookTestKit
import Foundation
import Tables
import Testing

/// `daybook list`, compared with the answers of the API.
struct ListTests {
    private static let names = ["transactions", "batches", "readers", "events"]

    /// A ledger with a payment of every sample in it.
    private func withSamples(_ body: (Daybook) async throws -> Void) async throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let data = try Data(contentsOf: root.appending(path: "Tests/Samples/documents.json"))
        let samples = try JSONValue(parsing: [UInt8](data)).array ?? []
        let byVendor = Dictionary(grouping: samples) { $0["vendor"]?.string ?? "" }
        try await Daybook.withDatabase { daybook, _ in
            _ = try await daybook.key()
            for (vendor, records) in byVendor {
                let lines = records.compactMap { $0["record"] }.map { $0.text + "\n" }.joined()
                let file = try daybook.write(lines, to: "\(vendor).ndjson")
                #expect(try await daybook.run("intake", file, "--vendor", vendor).exitCode == 0)
            }
            try await body(daybook)
        }
    }

    @Test func theFormsOfAListHaveTheSameItems() async throws {
        try await withSamples { daybook in
            let server = try await daybook.serve()
            let client = server.client(try await daybook.key(scopes: "read,audit"))
            let head = try await daybook.json("tail", "-n", "1")[0]?["position"]?.int64
            for name in Self.names {
                let document = try await daybook.json("list", name)
                let items = try #require(document["items"]?.array)
                #expect(!items.isEmpty && document["more"] == false, "\(name)")
                let lines = try await daybook.run("list", name, "--jsonl").standardOutput.split(separator: "\n")
                #expect(try lines.map { try JSONValue(parsing: $0.utf8) } == items, "\(name)")
                let wait = name == "events" ? "" : "&min_position=\(try #require(head))"
                let page = try await client.get("/v1/\(name)?limit=1000\(wait)")
                #expect(page["items"]?.array == items, "\(name)")
                for dialect in CSVDialect.allCases {
                    let file = "\(name).csv"
                    let arguments = ["list", name, "--csv", "--dialect", dialect.rawValue, "-o", file]
                    let written = try await daybook.run(arguments)
                    #expect(written.exitCode == 0 && written.standardOutput.isEmpty, "\(written)")
                    let bytes = try Data(contentsOf: URL(filePath: "\(daybook.directory)/\(file)"))
                    #expect(try CSVReader.rows([UInt8](bytes), dialect).count == items.count + 1, "\(name)")
                }
            }
            _ = try await server.stop()
        }
    }

    @Test func truncatedListsSayWhereToContinue() async throws {
        try await withSamples { daybook in
            let some = try await daybook.json("list", "events", "--limit", "2")
            #expect(some["items"]?.array?.count == 2 && some["more"] == true)
            let lines = try await daybook.run("list", "events", "--limit", "2", "--jsonl")
            #expect(lines.standardOutput.split(separator: "\n").count == 2)
            #expect(lines.standardError.contains("there are more than these 2"))
            let table = try await daybook.run("list", "events", "--limit", "2")
            #expect(table.exitCode == 0 && table.standardError.contains("there are more"))
            let all = try await daybook.run("list", "transactions", "vendor=dejavoo", "--jsonl")
            #expect(all.standardOutput.split(separator: "\n").count == 2 && all.standardError.isEmpty)
            let none = try await daybook.run("list", "transactions", "last4=0000")
            #expect(none.exitCode == 0 && none.standardOutput.contains("nothing matches"))
        }
    }

    @Test func aListOfThePastIsWhatTheAPIAnswers() async throws {
        try await withSamples { daybook in
            let server = try await daybook.serve()
            let client = server.client(try await daybook.key(scopes: "read,audit"))
            let events = try #require(try await daybook.json("list", "events")["items"]?.array)
            let middle = try #require(events[events.count / 2]["position"]?.int64)
            let time = try #require(events[events.count / 2]["recordedAt"]?.string)
            for name in ["transactions", "batches"] {
                let items = try await daybook.json("list", name, "as_of_position=\(middle)")["items"]
                #expect(try await daybook.json("list", name)["items"] != items, "\(name)")
                #expect(try await client.get("/v1/\(name)?limit=1000&as_of_position=\(middle)")["items"] == items)
                let then = try await daybook.json("list", name, "as_of=\(time)")["items"]
                #expect(try await client.get("/v1/\(name)?limit=1000&as_of=\(time)")["items"] == then)
                let none = try await daybook.run("list", name, "as_of_position=0")
                #expect(none.exitCode == 0 && none.standardOutput.contains("nothing matches"))
                #expect(try await daybook.run("list", name, "as_of=yesterday").exitCode == 64)
                #expect(try await daybook.run("list", name, "as_of=\(time)", "as_of_position=1").exitCode == 64)
            }
            // A list as of a future time continues as of the moment at which it began.
            for name in ["transactions", "batches"] {
                let items = try #require(try await daybook.json("list", name)["items"]?.array)
                let moment = "as_of=2999-01-01T00:00:00Z"
                let first = try await daybook.json("list", name, moment, "--limit", "1")
                let next = try #require(first["next"]?.string)
                let said = try await daybook.run("merchants", name, "--zone", "UTC", "--reason", "moved")
                #expect(said.exitCode == 0, "\(said)")
                let rest = try await daybook.json("list", name, moment, "--cursor", next)["items"]?.array
                let listed = (first["items"]?.array ?? []) + (rest ?? [])
                #expect(listed.map { $0["id"] } == items.map { $0["id"] } && items.count > 1, "\(name)")
                let other = try await daybook.run("list", name, "as_of_position=\(middle)", "--cursor", next)
                #expect(other.exitCode == 64, "\(other)")
            }
            let batches = try await daybook.json("batch", "--as-of-position", "\(middle)")
            let listed = try await daybook.json("list", "batches", "as_of_position=\(middle)")["items"]
            #expect(batches == listed)
            #expect(try await daybook.run("batch", "--agreement", "--as-of-position", "1").exitCode == 64)
            _ = try await server.stop()
        }
    }

    @Test func membersSumToTheirBatch() async throws {
        try await withSamples { daybook in
            let batch = try #require(try await daybook.json("batch", "121")[0])
            let id = try #require(batch["id"]?.string)
            let columns = "type,amount,voided,currency"
            let csv = try await daybook.run("list", "members", "batch=\(id)", "--csv", "--columns", columns)
            let rows = try CSVReader.rows(csv.standardOutput.utf8, .raw)
            #expect(rows.first == ["type", "amount", "voided", "currency"])
            let net = rows.dropFirst().reduce(into: Int64(0)) { sum, row in
                let amount = (row[1].flatMap { Int64($0) } ?? 0) - (row[2].flatMap { Int64($0) } ?? 0)
                sum += row[0] == "refund" || row[0] == "credit" ? -amount : amount
            }
            #expect(batch["net"] == [["value": .number(JSONNumber(net)), "currency": "USD"]])
        }
    }

    @Test(arguments: [
        ["list"], ["list", "nothing"], ["list", "transactions", "status"], ["list", "transactions", "colour=red"],
        ["list", "transactions", "status=paid"], ["list", "members"], ["list", "events", "--csv", "--json"],
        ["list", "events", "--limit", "0"], ["list", "events", "--csv", "--dialect", "tsv"],
        ["list", "events", "-o", "file", "--limit", "none"],
    ])
    func unknownListsAndFiltersAreRefusedDifferently(_ arguments: [String]) async throws {
        try await Daybook.withDatabase { daybook, _ in
            let result = try await daybook.run(arguments)
            #expect(result.exitCode == 64, "\(result)")
            #expect(result.standardOutput.isEmpty && !result.standardError.isEmpty)
            let reported = try await daybook.run(arguments + ["--json"])
            #expect(reported.exitCode == 64 && reported.standardOutput.isEmpty, "\(reported)")
            let last = try #require(reported.standardError.split(separator: "\n").last)
            let error = try JSONValue(parsing: last.utf8)["error"]
            #expect(error?["exitCode"] == 64 && error?["message"]?.string?.isEmpty == false)
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func completionScriptsArePrinted(_ shell: String) async throws {
        try await Daybook.with { daybook in
            let result = try await daybook.run("--generate-completion-script", shell)
            #expect(result.exitCode == 0 && result.standardError.isEmpty)
            for command in ["list", "receipt", "verify"] { #expect(result.standardOutput.contains(command)) }
        }
    }
}
