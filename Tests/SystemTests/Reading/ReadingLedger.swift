import Canonical
import DaybookTestKit
import Foundation
import Testing

/// A ledger without a server that has something of everything that commands show.
struct ReadingLedger {
    /// What the commands name.
    struct IDs {
        var payment: String
        var doubt: String
        var batch: String
        var anomaly: String
        var statement: String
        var line: String
        var run: String
        var exception: String
        var period: String
        var plan: String
        var export: String

        /// The same id for everything.
        init(all id: String) {
            (payment, doubt, batch, anomaly, statement) = (id, id, id, id, id)
            (line, run, exception, period, plan, export) = (id, id, id, id, id, id)
        }

        /// The filters of lists that belong to something.
        var filters: [String: String] {
            [
                "timeline": "transaction=\(payment)", "members": "batch=\(batch)", "changes": "batch=\(batch)",
                "statement-lines": "statement=\(statement)", "controls": "statement=\(statement)",
                "period-changes": "period=\(period)", "paid-lines": "payout=\(line)", "replay-items": "replay=\(plan)",
                "account-statement": "account=sales",
            ]
        }
    }

    let daybook: Daybook
    let url: String
    let ids: IDs

    static func with(_ body: (ReadingLedger) async throws -> Void) async throws {
        try await Daybook.withDatabase { daybook, url in
            _ = try await daybook.key()
            for (vendor, lines) in try documents() {
                let file = try daybook.write(lines, to: "\(vendor).ndjson")
                try await expect(["intake", file, "--vendor", vendor], of: daybook)
            }
            try daybook.write("type,currency,gross,processor_id,day\nsale,USD,1.00,g-1,2026-03-01\n", to: "s.csv")
            try await expect(["statement", "import", "s.csv"], of: daybook)
            try await expect(["reconcile", "run"], exitCode: 2, of: daybook)
            try await expect(["merchants", "8846", "--zone", "America/New_York", "--reason", "x"], of: daybook)
            try await expect(["reconcile", "close", "8846", "2026-03-01", "--reason", "x"], of: daybook)
            try await expect(["replay", "plan", "vendor=bridgepay", "--reason", "x"], of: daybook)
            try await expect(["export", "journal", "--format", "beancount", "-o", "j.beancount"], of: daybook)
            try await body(ReadingLedger(daybook: daybook, url: url, ids: try await ids(daybook)))
        }
    }

    /// The sample documents of each vendor, and one of a payment in doubt.
    private static func documents() throws -> [(vendor: String, lines: String)] {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appending(path: "Tests/Samples/documents.json"))
        let samples = try JSONValue(parsing: [UInt8](data)).array ?? []
        let byVendor = Dictionary(grouping: samples) { $0["vendor"]?.string ?? "" }
        let doubt = """
            {"kind":"TransactionStatus","transaction":"3e665342-a95b-49c1-b6fe-b3f102305a76",\
            "body":{"finStatus":"UNDEFINED","asked":{"ageSeconds":1}}}

            """
        return byVendor.sorted { $0.key < $1.key }.map { vendor, samples in
            (vendor, samples.compactMap { $0["record"] }.map { $0.text + "\n" }.joined())
        } + [("handpoint", doubt)]
    }

    private static func expect(_ arguments: [String], exitCode: Int32 = 0, of daybook: Daybook) async throws {
        let result = try await daybook.run(arguments)
        #expect(result.exitCode == exitCode, "\(arguments): \(result)")
    }

    private static func ids(_ daybook: Daybook) async throws -> IDs {
        func first(_ list: String, _ filters: String..., member: String = "id") async throws -> String {
            let result = try await daybook.run(["list", list, "--json"] + filters)
            let items = try JSONValue(parsing: Array(result.standardOutput.utf8))["items"]
            return try #require(items?[0]?[member]?.string, "\(list): \(result)")
        }
        let statement = try await first("statements")
        var ids = IDs(all: statement)
        ids.payment = try await first("transactions", "vendor=bridgepay")
        ids.doubt = try await first("doubts", member: "transaction")
        ids.batch = try await first("batches", "vendor=bridgepay")
        ids.anomaly = try await first("anomalies")
        ids.line = try await first("statement-lines", "statement=\(statement)")
        ids.run = try await first("reconciliations")
        ids.exception = try await first("exceptions")
        ids.period = try await first("periods")
        ids.plan = try await first("replays")
        ids.export = try await first("journal-exports")
        return ids
    }

    /// Every table of the database with the digest of its rows.
    func digest() async throws -> String {
        try await TestDatabase.psql(
            """
            SELECT t, query_to_xml(format('SELECT md5(string_agg(r::text, E''\\n'' ORDER BY r::text)) FROM %s r', t),
                true, false, '')::text
            FROM (SELECT format('%I.%I', schemaname, tablename) AS t FROM pg_tables
                WHERE schemaname NOT IN ('pg_catalog', 'information_schema')) AS tables ORDER BY t
            """,
            at: url
        )
    }
}
