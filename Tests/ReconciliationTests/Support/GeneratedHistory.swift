import Canonical
import Composition
import DaybookTestKit
import EventLog
import Foundation
import Intake
import Matching
import Payments
import Postgres
import Reconciliation
import Redaction
import Statements
import TestFacts
import Testing

/// A ledger with payments that have events of every type, and with statements that have lines of every type, in a
/// random order.
struct GeneratedHistory {
    /// The number of payments with generated facts.
    private static let payments = 40
    private static let document = DocumentReceived(
        vendor: .dejavoo,
        kind: "generated",
        document: .object(JSONObject()),
        redactions: [],
        terminal: "tpn"
    )
    /// Samples of every stored event.
    private static let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "PaymentsTests/Golden/Events")

    let planted: PlantedLedger
    private var facts: FactGenerator
    private var lines: GeneratedLines
    private var known: Set<Int> = []
    /// The statements that are imported and not withdrawn.
    private(set) var files: [UUID128: GeneratedLines.File] = [:]

    init(_ planted: PlantedLedger, seed: UInt64) {
        self.planted = planted
        facts = FactGenerator(SeededGenerator(seed: seed), from: planted.ledger.clock.now())
        lines = GeneratedLines(seed: seed)
    }

    // MARK: Payments

    private static func stream(_ payment: Int) -> String {
        StreamName.transaction(UUID128(high: 0x0197_0000_0000_7000, low: 1 << 63 | UInt64(payment)))
    }

    /// Records observations of payments.
    mutating func record(_ count: Int) async throws {
        for _ in 0..<count {
            let payment = Int.random(in: 0..<Self.payments, using: &facts.random)
            var read = (0..<Int.random(in: 1...3, using: &facts.random)).map { _ in facts.fact() }
            if known.insert(payment).inserted {
                let references = References(gatewayTransaction: "g-\(payment)", merchant: facts.pick(["M1", "M2"]))
                read.insert(.saleRequested(PaymentRequest(amounts: facts.amounts(), references: references)), at: 0)
            }
            if facts.chance(20) { read.append(dispute()) }
            _ = try await planted.ledger.intake.recorder.record(
                read,
                from: Self.document,
                stream: Self.stream(payment),
                keys: [],
                idempotency: [],
                policy: LifecyclePolicy(),
                occurredAt: planted.ledger.clock.now(),
                sender: PlantedLedger.sender
            )
        }
    }

    /// A fact about the dispute of a chargeback, which may have any of the ids of generated chargebacks.
    private mutating func dispute() -> TransactionEvent {
        let name = facts.pick(DisputeEventName.allCases)
        let report = DisputeReport(
            chargeback: facts.pick(["a", "b", "c"]),
            reason: "generated",
            at: planted.ledger.clock.now()
        )
        return .dispute(DisputeEvent(name, report))
    }

    /// Records two payments with the samples of every event type of a payment, also of types that are not generated.
    func recordSamples() async throws {
        var samples: [String: [TransactionEvent]] = [:]
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.samples.path()).sorted()
        for file in files where file.hasSuffix(".ndjson") {
            let text = try String(contentsOf: Self.samples.appending(path: file), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let sample = try JSONValue(parsing: Array(line.utf8))
                let type = try #require(sample["type"]?.string)
                guard TransactionEvent.types.contains(type) else { continue }
                let schema = Int(try #require(sample["schema"]?.int64))
                let event = try TransactionEvent(type: type, schema: schema, data: try #require(sample["data"]))
                let extent = try #require(sample["extent"]?.string)
                samples[extent, default: []].append(event)
            }
        }
        for (number, extent) in samples.keys.sorted().enumerated() {
            let events = try samples[extent, default: []].map { fact in
                var event = ProposedEvent.sample(
                    fact.type,
                    data: try fact.text(),
                    occurredAt: planted.ledger.clock.now()
                )
                event.schema = fact.schema
                return event
            }
            let stream = Self.stream(Self.payments + number)
            let result = try await planted.ledger.sequencer.append(
                AppendItem(tenant: "acme", stream: stream, expected: .any, events: events)
            )
            guard case .appended = result else { throw TestKitError("not appended: \(result)") }
        }
    }

    // MARK: Statements

    /// A new file, of which some lines are about recorded payments.
    ///
    /// - Parameter isAboutPayments: False for lines that name no payment.
    mutating func file(of side: StatementSide, isAboutPayments: Bool = true) async throws -> GeneratedLines.File {
        try await planted.settle()
        let rows = try await planted.ledger.pool.query(
            """
            SELECT coalesce(gateway_id, origin_id), amount, currency FROM read_movements.movements
            WHERE tenant = 'acme' AND type <> 'none' AND coalesce(gateway_id, origin_id) LIKE 'g-%'
            ORDER BY transaction, line
            """,
            []
        )
        lines.movements = try rows.map { row in
            let currency = try #require(Currency(alpha: try row.text(2)))
            return (id: try row.text(0), amount: Money(try row.int64(1), currency))
        }
        return lines.file(of: side, isAboutPayments: isAboutPayments)
    }

    /// - Returns: The id of the statement.
    mutating func `import`(_ file: GeneratedLines.File) async throws -> UUID128 {
        let id = try await planted.import(file.lines.map(\.written), side: file.side).id
        files[id] = file
        return id
    }

    mutating func withdraw(_ id: UUID128) async throws {
        _ = try await planted.withdraw(id)
        files[id] = nil
    }

    /// Withdraws any of the statements.
    mutating func withdrawOne() async throws {
        guard !files.isEmpty else { return }
        let id = facts.pick(files.keys.sorted { $0.text < $1.text })
        try await withdraw(id)
    }

    // MARK: Decisions

    /// Resolves exceptions by two operators, and opens one of them again.
    mutating func decide(_ count: Int) async throws {
        let kinds: [ExceptionResolution.Kind] = [.writtenOff, .corrected, .timing]
        for _ in 0..<count {
            guard let id = try await exception("status = 'open'") else { return }
            let resolution = ExceptionResolution(facts.pick(kinds), correction: "generated")
            let outcome = try await act(.resolve(resolution), on: id)
            if outcome.exception.state.status == .proposed {
                _ = try await planted.approve(id, by: PlantedLedger.approver)
            }
        }
        if let id = try await exception("status = 'resolved' AND cleared IS NULL") {
            _ = try await act(.reopen, on: id)
        }
    }

    private mutating func exception(_ condition: String) async throws -> UUID128? {
        try await planted.ledger.catchUp()
        let sql = "SELECT id FROM read_reconciliation.exceptions WHERE tenant = 'acme' AND \(condition) ORDER BY id"
        let found = try await planted.ledger.pool.query(sql, []).map { try $0.uuid(0) }
        return found.isEmpty ? nil : facts.pick(found)
    }

    private func act(_ action: ExceptionAction, on id: UUID128) async throws -> ExceptionCommands.Outcome {
        try await planted.ledger.reconciliation.exceptionCommands.act(
            action,
            on: id,
            reason: "generated",
            sender: PlantedLedger.sender
        )
    }

    /// Reconciles once everything is applied, and waits until the result is.
    func reconcile(whole isWhole: Bool = false) async throws {
        try await planted.settle()
        _ = try await planted.ledger.reconciliation.round.run(whole: isWhole, sender: PlantedLedger.sender)
        try await planted.settle()
    }
}
