import Access
import ArgumentParser
import Canonical
import Foundation
import Ledger
import Logging

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Post sample vendor documents through the HTTP API and show what the ledger makes of them.",
        discussion: """
            Runs against a private PostgreSQL of its own, below the data directory; the documents are the samples of
            the BridgePay and Dejavoo manuals. Afterwards the server goes on until Ctrl-C; with --exit it stops.

            EXAMPLES
              daybook demo --exit
              daybook demo --listen 127.0.0.1:8090
            """
    )

    @OptionGroup var common: CommonOptions

    @Option(help: "Address and port; port 0 lets the system choose. Default: 127.0.0.1:8080, with --exit port 0.")
    var listen: String?

    @Flag(help: "End after printing.")
    var exit = false

    func run() async throws {
        var common = common
        if common.databaseURL == nil, ProcessInfo.processInfo.environment["DATABASE_URL"] == nil {
            common.dataDir =
                (common.dataDir ?? ProcessInfo.processInfo.environment["DAYBOOK_DATA_DIR"] ?? ".daybook") + "/demo"
        }
        let (isBrief, isJSON) = (exit, common.json)
        try await Session.open(common, logLevel: .warning) { session in
            let address = try Address(
                session.settings.text("listen", flag: listen) ?? (isBrief ? "127.0.0.1:0" : "127.0.0.1:8080")
            )
            let key = try await session.withLedger { ledger in
                try await ledger.keys.create(
                    tenant: "demo",
                    scopes: [.intake, .read, .audit],
                    mode: .test,
                    name: "demo",
                    expiresAt: nil
                ).key
            }
            let evidence = try await session.evidence()
            try await Server(session: session, address: address, evidence: evidence).run { port in
                let base = "http://\(address.host):\(port)"
                let day = TradingDay(base: base, key: key.secret)
                if isJSON { Terminal.say(try await day.report()) } else { try await day.run() }
                guard !isBrief else { return }
                let say = isJSON ? Terminal.note : { Terminal.say($0) }
                say("The API goes on at \(base) until Ctrl-C. Try:")
                say("  curl -H 'Authorization: Bearer \(key.secret)' \(base)/v1/transactions")
                await Server.untilStopped()
            }
        }
    }
}

/// The sample documents, posted as an app would, and the answers as a back office would read them.
private struct TradingDay: Sendable {
    let client: APIClient

    init(base: String, key: String) {
        client = APIClient(base: base, key: key)
    }

    func run() async throws {
        Terminal.say("Posting \(try documents.count) vendor documents:")
        var last: Int64 = 0
        for (title, answer) in try await post() {
            let events = answer["events"]?.array?.compactMap(\.string) ?? []
            last = max(last, position(of: answer))
            let redacted = answer["redactions"]?.array?.count ?? 0
            Terminal.say(
                "  \(title): \(events.joined(separator: ", "))\(redacted > 0 ? " (\(redacted) redacted)" : "")"
            )
            for anomaly in answer["anomalies"]?.array ?? [] {
                Terminal.say("    ! \(anomaly["kind"]?.string ?? ""): \(anomaly["explanation"]?.string ?? "")")
            }
        }
        Terminal.say()
        try await showTransactions(after: last)
        Terminal.say()
        try await showBatches(after: last)
        Terminal.say()
        try await showReceipt(after: last)
    }

    /// The same as one document: the answers of the API as they are.
    func report() async throws -> JSONValue {
        let answers = try await post()
        let last = answers.map { position(of: $0.answer) }.max() ?? 0
        let transactions = try await client.get("/v1/transactions?limit=100&min_position=\(last)")
        let id = try await receiptID()
        return [
            "documents": .array(answers.map { ["title": .string($0.title), "answer": $0.answer] }),
            "transactions": transactions,
            "batches": try await client.get("/v1/batches?limit=100&min_position=\(last)"),
            "receipt": try await client.get("/v1/transactions/\(id)/receipt?copy=merchant&min_position=\(last)"),
        ]
    }

    private func post() async throws -> [(title: String, answer: JSONValue)] {
        var answers: [(title: String, answer: JSONValue)] = []
        for document in try documents {
            guard let title = document["title"]?.string, let vendor = document["vendor"]?.string,
                let record = document["record"]
            else { throw Failure("The sample documents are damaged.") }
            answers.append((title, try await client.post("/v1/intake/\(vendor)", record)))
        }
        return answers
    }

    private func position(of answer: JSONValue) -> Int64 { answer["positions"]?.array?.last?.int64 ?? 0 }

    private var documents: [JSONValue] {
        get throws {
            guard let all = try JSONValue(parsing: PackageResources.documents_json).array else {
                throw Failure("The sample documents are damaged.")
            }
            return all
        }
    }

    private func showTransactions(after position: Int64) async throws {
        let list = try await client.get("/v1/transactions?limit=100&min_position=\(position)")
        Terminal.say("Transactions:")
        let rows = (list["items"]?.array ?? []).reversed().map { item -> [String] in
            let amounts = item["amounts"]
            return [
                item["vendor"]?.string ?? "", item["references"]?["invoice"]?.string ?? "-",
                item["operation"]?.string ?? "-", item["status"]?.string ?? "", money(amounts?["authorized"]),
                money(amounts?["captured"]), money(amounts?["tip"]), item["card"]?["maskedNumber"]?.string ?? "-",
                "\(item["anomalies"]?.array?.count ?? 0)",
            ]
        }
        Terminal.table(
            ["vendor", "invoice", "operation", "status", "authorised", "captured", "tip", "card", "anomalies"],
            rows,
            rightAligned: [4, 5, 6, 8]
        )
    }

    private func showBatches(after position: Int64) async throws {
        let list = try await client.get("/v1/batches?limit=100&min_position=\(position)")
        Terminal.say("Batches:")
        let rows = (list["items"]?.array ?? []).reversed().map { item -> [String] in
            [
                item["number"]?.string ?? "(open)", item["vendor"]?.string ?? "", item["account"]?.string ?? "-",
                item["status"]?.string ?? "",
                "\(item["totals"]?.array?.reduce(Int64(0)) { $0 + ($1["count"]?.int64 ?? 0) } ?? 0)",
                (item["net"]?.array ?? []).map { money($0) }.joined(separator: ", "),
            ]
        }
        Terminal.table(["batch", "vendor", "account", "status", "lines", "net"], rows, rightAligned: [4, 5])
    }

    private func showReceipt(after position: Int64) async throws {
        let id = try await receiptID()
        Terminal.say("Receipt of \(id):")
        Terminal.say()
        Terminal.say(
            try await client.text("/v1/transactions/\(id)/receipt?copy=merchant&width=42&min_position=\(position)")
        )
    }

    private func receiptID() async throws -> String {
        let found = try await client.get("/v1/transactions?gateway_id=214972201")
        guard let id = found["items"]?[0]?["id"]?.string else { throw Failure("The authorisation is missing.") }
        return id
    }

    private func money(_ json: JSONValue?) -> String {
        guard let value = json?["value"]?.int64, let currency = json?["currency"]?.string else { return "-" }
        return MoneyText(value, currency).text
    }
}
