import Canonical
import Composition
import DaybookTestKit
import Foundation
import Intake
import Journal
import Matching
import Payments
import Postgres
import Redaction
import Statements
import Testing

@testable import Reconciliation

/// Stories of a month's books: what they post and which exceptions they leave, as written by an author who read only the
/// documents.
struct ScenarioTests {
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scenarios")
    private static let files = names(in: directory)
    private static let gaps = directory.appending(path: "Gaps")

    private static func names(in directory: URL) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path())) ?? [])
            .filter { $0.hasSuffix(".json") }.sorted()
    }

    @Test func thereAreScenarios() { #expect(Self.files.count >= 20) }

    @Test(arguments: files)
    func booksAndExceptionsAreThoseOfTheStory(_ file: String) async throws {
        let found = try await differences(Self.directory.appending(path: file))
        #expect(found == [])
    }

    /// What the ledger does not do yet. A story that holds belongs to the others.
    @Test(arguments: names(in: gaps))
    func gapsAreKnown(_ file: String) async throws {
        #expect(try await differences(Self.gaps.appending(path: file)) != [])
    }

    private func differences(_ file: URL) async throws -> [String] {
        let scenario = try JSONValue(parsing: Data(contentsOf: file))
        let found = DifferenceList()
        let inputs = scenario["inputs"]?.array ?? []
        // The clock of a story that names times stands still in between.
        let clock = inputs.lazy.compactMap(ScenarioPlayer.time).first.map { ManualClock(at: $0) }
        let time: any WallClock = if let clock { clock } else { SystemClock() }
        try await PlantedLedger.with(clock: time) { planted in
            var player = ScenarioPlayer(planted, clock: clock)
            let steps = scenario["expect"]?["after"]?.array ?? []
            for input in inputs {
                try await player.play(input)
                for step in steps where step["after"] == input["n"] {
                    await found.add(try await differences(step, in: planted, "after \(step["after"]?.text ?? "")"))
                }
            }
            let expected = try #require(scenario["expect"])
            await found.add(try await differences(expected, in: planted, "at the end"))
            let stated = try await StoryExpectations(planted, statements: player.statements, payments: player.streams)
            if let matches = expected["matches"]?.array { await found.add(try await stated.matches(matches)) }
            for one in expected["other"]?.array ?? [] { await found.add(try await stated.other(one)) }
            try await StatementJournalTests.expectBalanced(planted)
            try await ReceivableTests.expectTheBalances(planted)
            try await FeeStatementTests.expectTheBalances(planted)
        }
        return await found.all
    }

    private func differences(
        _ wanted: JSONValue,
        in planted: PlantedLedger,
        _ note: String
    ) async throws -> [String] {
        try await planted.ledger.catchUp()
        var books: [String: Int64] = [:]
        for one in wanted["trialBalance"]?.array ?? [] {
            // The files' processors have names; the ledger knows them by the format of the file.
            let part = one["part"]?.string.map { ["P1", "P2"].contains($0) ? "daybook-csv" : $0 }
            let name = [one["account"]?.string, part].compactMap(\.self).joined(separator: "/")
            books["\(name) \(one["currency"]?.string ?? "")", default: 0] += one["amount"]?.int64 ?? 0
        }
        let known = try await planted.ledger.journal.balances(of: "acme", by: [.account, .part])
        let balances = Dictionary(
            uniqueKeysWithValues: known.map { one in
                (one.keys.compactMap(\.self).joined(separator: "/") + " " + one.currency.alpha, one.balance)
            }
        )
        var differences: [String] = []
        if balances != books { differences.append("\(note): \(balances), not \(books)") }
        let open = (wanted["exceptions"]?.array ?? []).filter { $0["state"] == "open" || $0["state"] == "proposed" }.map
        { one in
            [one["class"]?.string, "\(one["amount"]?.int64 ?? 0)", one["currency"]?.string].compactMap(\.self)
                .joined(separator: " ")
        }
        let raised = try await planted.ledger.pool.query(
            """
            SELECT concat_ws(' ', class, coalesce(amount, 0), currency) FROM read_reconciliation.exceptions
            WHERE tenant = 'acme' AND status NOT IN ('cleared', 'resolved')
            """,
            []
        )
        let found = try raised.map { try $0.text(0) }.sorted()
        if found != open.sorted() { differences.append("\(note): \(found), not \(open.sorted())") }
        if let report = wanted["report"] {
            differences += try await StoryExpectations.report(report, in: planted).map { "\(note): \($0)" }
        }
        return differences
    }
}

private actor DifferenceList {
    private(set) var all: [String] = []

    func add(_ more: [String]) { all += more }
}

/// Plays the inputs of a scenario.
struct ScenarioPlayer {
    private let planted: PlantedLedger
    private let clock: ManualClock?
    private(set) var statements: [String: UUID128] = [:]
    private(set) var streams: [String: UUID128] = [:]
    private var pendingWithdrawal: String?

    init(_ planted: PlantedLedger, clock: ManualClock? = nil) {
        self.planted = planted
        self.clock = clock
    }

    /// The time at which a command is given; nil if the story does not name it.
    static func time(_ input: JSONValue) -> Timestamp? {
        input["command"]?["clock"]?.string.flatMap { Timestamp(rfc3339: $0) }
    }

    mutating func play(_ input: JSONValue) async throws {
        if let time = Self.time(input) { clock?.set(time) }
        if let event = input["event"] { return try await record(event) }
        if let statement = input["statement"] { return try await add(statement) }
        guard let command = input["command"] else { return }
        let reconciliation = planted.ledger.reconciliation
        switch command["operation"]?.string {
        case "reconcile": _ = try await reconciliation.round.run(sender: PlantedLedger.sender)
        case "withdrawStatement": pendingWithdrawal = command["statement"]?.string
        case "approveProposal":
            // The rules are set, and the statement is withdrawn, by both operators at once.
            guard let name = pendingWithdrawal, let id = statements[name] else { return }
            _ = try await planted.withdraw(id)
            pendingWithdrawal = nil
        case "setReconciliationRules":
            try await planted.setRules(try MatchingRules(reading: try #require(command["rules"])))
        case "setStatementCalendar":
            let calendar = try #require(command["calendar"])
            try await planted.setRules(try RulesCommands.rules(["calendars": [calendar]]))
        case "resolveException":
            let kind = ExceptionResolution.Kind(rawValue: command["resolution"]?["kind"]?.string ?? "")
            let correction = command["resolution"]?["correction"]?.string
            try await act(
                .resolve(ExceptionResolution(try #require(kind), correction: correction)),
                on: command,
                by: PlantedLedger.sender
            )
        case "approveException":
            _ = try await planted.approve(try await exception(command), by: PlantedLedger.approver)
        case "concludeDispute":
            let outcome = DisputeCase.Outcome(rawValue: command["outcome"]?.string ?? "")
            let payment = try #require(streams[command["transaction"]?.string ?? ""])
            try await planted.closeDispute(of: payment, as: try #require(outcome))
        default: break
        }
        try await planted.ledger.catchUp()
    }

    private func exception(_ command: JSONValue) async throws -> UUID128 {
        let name = command["exception"]?.string?.prefix { $0 != " " } ?? ""
        let row = try await planted.ledger.pool.query(
            """
            SELECT id FROM read_reconciliation.exceptions
            WHERE tenant = 'acme' AND class = $1 AND status NOT IN ('cleared', 'resolved') ORDER BY first DESC LIMIT 1
            """,
            [.text(String(name))]
        ).first
        return try #require(row).uuid(0)
    }

    private func act(_ action: ExceptionAction, on command: JSONValue, by sender: Sender) async throws {
        _ = try await planted.ledger.reconciliation.exceptionCommands.act(
            action,
            on: try await exception(command),
            reason: "as in the story",
            sender: sender
        )
    }

    private mutating func add(_ statement: JSONValue) async throws {
        let text = try #require(statement["csv"]?.string)
        var request = StatementImporter.Request(format: .daybookCSV, name: statement["id"]?.string)
        if statement["side"] == "bank" { try request.use(mapping: Array(#"{"side":"bank"}"#.utf8)) }
        let outcome = try await planted.ledger.reconciliation.importer.import(
            StatementBytes(Array(text.utf8)),
            request,
            sender: PlantedLedger.sender
        )
        statements[statement["id"]?.string ?? ""] = outcome.id
        try await planted.ledger.catchUp()
    }

    // MARK: Events

    private mutating func record(_ event: JSONValue) async throws {
        let type = try #require(event["type"]?.string)
        guard let name = event["transaction"]?.string else {
            if type == BatchEvent.Name.batchClosed.rawValue { try await close(event) }
            return
        }
        let id = streams[name] ?? planted.ledger.ids.next()
        streams[name] = id
        let data = try Self.data(event)
        var facts: [TransactionEvent] = []
        func add(_ type: String, _ change: (inout JSONObject) -> Void = { _ in }) throws {
            var data = data
            change(&data)
            facts.append(try TransactionEvent(type: type, schema: 1, data: .object(data)))
        }
        let tender = event["tender"]
        switch type {
        case "Captured":
            try add("SaleRequested") { $0["tender"] = tender }
            try add("AuthorizationApproved") { $0["card"] = event["card"] }
            try add("Captured") { $0["id"] = event["capture"] }
        case "CreditApproved":
            try add("CreditRequested") { $0["tender"] = tender }
            try add("CreditApproved")
        case "TipAdjusted": try add(type) { $0["at"] = event["occurredAt"] }
        default: try add(type)
        }
        let vendor = try #require(Vendor(rawValue: event["vendor"]?.string ?? ""))
        let document = DocumentReceived(
            vendor: vendor,
            kind: "story",
            document: .object(JSONObject()),
            redactions: [],
            isTest: event["test"]?.bool
        )
        _ = try await planted.ledger.intake.recorder.record(
            facts,
            from: document,
            stream: StreamName.transaction(id),
            keys: [],
            idempotency: [],
            policy: LifecyclePolicy(),
            occurredAt: try #require(Timestamp(rfc3339: event["occurredAt"]?.string ?? "")),
            sender: PlantedLedger.sender
        )
        try await planted.settle()
    }

    /// Closes the batch that an event names by its number.
    private func close(_ event: JSONValue) async throws {
        let fact = try BatchEvent(type: "BatchClosed", schema: 1, data: .object(Self.data(event)))
        guard case .batchClosed(let closing) = fact else { return }
        _ = try await planted.ledger.intake.recorder.record(
            [fact],
            about: closing.batch,
            from: nil,
            idempotency: [],
            occurredAt: try #require(Timestamp(rfc3339: event["occurredAt"]?.string ?? "")),
            sender: PlantedLedger.sender
        )
        try await planted.settle()
    }

    /// The event in the form of the log: amounts are money, and what the story leaves out is there.
    private static func data(_ event: JSONValue) throws -> JSONObject {
        let currency = try #require(event["currency"])
        func money(_ value: JSONValue) -> JSONValue { ["value": value, "currency": currency] }
        var data = JSONObject()
        data["evidence"] = "gateway"
        data["response"] = .object(JSONObject())
        data["references"] = event["references"] ?? .object(JSONObject())
        var amounts = JSONObject()
        for member in event["amounts"]?.object?.members ?? [:] { amounts[member.key] = money(member.value) }
        if event["amounts"] != nil { data["amounts"] = .object(amounts) }
        if let net = event["totals"]?["net"] { data["totals"] = ["net": money(net)] }
        for name in ["amount", "tip", "balance"] {
            if let value = event[name] { data[name] = money(value) }
        }
        for name in ["id", "batch", "isPartial", "isCaptured", "account", "marks"] {
            if let value = event[name] { data[name] = value }
        }
        return data
    }
}
