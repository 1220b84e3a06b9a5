import Canonical
import Composition
import DaybookTestKit
import EventLog
import Intake
import Matching
import Payments
import Postgres
import Projections
import Reconciliation
import Redaction
import Statements
import Testing

/// A ledger filled with a planted world.
struct PlantedLedger {
    static let sender = Sender(tenant: "acme", actor: "cli:test", correlation: "c-1", holder: "test")
    /// Another operator.
    static let approver = Sender(tenant: "acme", actor: "cli:approver", correlation: "c-1", holder: "approver")

    let ledger: Ledger
    let url: String

    static func with(
        clock: any WallClock = SystemClock(),
        _ body: @escaping @Sendable (PlantedLedger) async throws -> Void
    ) async throws {
        try await withTestDatabase(template: .readModels) { url in
            let ledger = Ledger(
                configuration: PostgresConfiguration(connectionString: url),
                connections: 12,
                acquireTimeout: .seconds(60),
                clock: clock,
                logger: TestLog.logger
            )
            try await ledger.run { try await body(PlantedLedger(ledger: ledger, url: url)) }
        }
    }

    /// Waits until payments are settled, and nothing more is recorded.
    func settle() async throws {
        var head: Int64 = -1
        while true {
            let next = try await ledger.reader.head()
            if next == head { return }
            head = next
            _ = try await ledger.waitUntilApplied(upTo: head)
        }
    }

    private static func date(_ day: Int) -> String { "DATE '2026-01-01' + \(day)" }

    func setRules(_ rules: MatchingRules) async throws {
        let commands = ledger.reconciliation.rulesCommands
        let proposed = try await commands.propose(rules, reason: "as agreed", sender: Self.sender)
        _ = try await commands.approve(proposed.proposal.id, reason: "as agreed", sender: Self.approver)
    }

    /// Withdraws a statement by two operators.
    ///
    /// - Returns: The position of the event.
    func withdraw(_ id: UUID128, reason: Reason = "a slip") async throws -> Int64 {
        let commands = ledger.reconciliation.statementCommands
        guard case .proposed(let outcome) = try await commands.withdraw(id, reason: reason, sender: Self.sender) else {
            throw Unproposed()
        }
        return try await commands.approve(outcome.proposal.id, reason: "seen", sender: Self.approver).position
    }

    struct Unproposed: Error {}

    /// Closes the newest dispute of a payment by two operators.
    ///
    /// - Returns: The position of the event.
    @discardableResult
    func closeDispute(of payment: UUID128, as outcome: DisputeCase.Outcome) async throws -> Int64 {
        let (reconciliation, sender) = (ledger.reconciliation, Self.sender)
        var filter = DisputeFilter()
        filter.transaction = payment
        let found = try await reconciliation.disputes.disputes(of: sender.tenant, matching: filter, limit: 1)
        let proposed = try await reconciliation.disputeCommands.close(
            try #require(found.first).id,
            as: outcome,
            reason: "as in the story",
            idempotencyKey: nil,
            sender: sender
        )
        return try await reconciliation.disputeCommands.approve(
            proposed.proposal.id,
            reason: "seen",
            idempotencyKey: nil,
            sender: Self.approver
        ).position
    }

    /// Approves the proposal that an exception has.
    func approve(_ exception: UUID128, by sender: Sender) async throws -> ExceptionCommands.Outcome {
        try await ledger.catchUp()
        let found = try await ledger.reconciliation.exceptions.exception(exception, of: sender.tenant)
        guard let proposal = found?.state.proposal?.id else {
            throw ExceptionCommands.Refusal.refused(.notProposed)
        }
        return try await ledger.reconciliation.exceptionCommands.act(
            .approve(proposal),
            on: exception,
            reason: "ok",
            sender: sender
        )
    }

    /// Inserts movements directly into the read model; another test covers how they get there.
    func put(_ movements: [PlantedWorld.Movement], position: Int64 = 0) async throws {
        guard !movements.isEmpty else { return }
        let columns = [
            "gateway_id", "origin_id", "rrn", "auth_code", "last_four", "invoice", "merchant", "terminal", "batch",
        ]
        let rows = movements.map { movement in
            let keys = columns.map { column in movement.keys[column].map { "'\($0)'" } ?? "NULL" }
            let terminals = movement.keys["terminal"].map { "ARRAY['\($0)']" } ?? "NULL::text[]"
            return """
                ('acme', \(Self.id(movement.transaction)), '\(movement.line)', \(position), '\(movement.type)',
                '\(movement.status)', '\(movement.currency)', \(movement.amount), \(Self.date(movement.day)),
                \(Self.date(movement.day)), \(keys.joined(separator: ", ")), \(terminals))
                """
        }
        // Too long for a command line.
        let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
        try await connection.script(
            """
            INSERT INTO read_movements.movements (tenant, transaction, line, position, type, status, currency, amount,
                occurred_at, day, \(columns.joined(separator: ", ")), terminals) VALUES \(rows.joined(separator: ",\n"))
            """
        )
        await connection.close()
    }

    /// Inserts movements of the terminal's batches into the read model of batches, each into a separate batch.
    func put(batched movements: [PlantedWorld.Movement]) async throws {
        for movement in movements {
            let batch = "md5('batch \(movement.transaction)')::uuid"
            let (number, terminal) = (movement.keys["batch"] ?? "", movement.keys["terminal"] ?? "")
            let merchant = movement.keys["merchant"].map { "'\($0)'" } ?? "NULL"
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
            try await connection.script(
                """
                INSERT INTO read_batches.batches (tenant, id, vendor, number, status, first_position, last_position, opened_at)
                VALUES ('acme', \(batch), 'dejavoo', '\(number)', 'open', 0, 0, \(Self.date(movement.day)));
                INSERT INTO read_batches.members (tenant, transaction, line, since, batch, type, currency, amount, tip, voided,
                    vendor, merchant, terminal, occurred_at, evidence)
                VALUES ('acme', \(Self.id(movement.transaction)), '\(movement.line)', 0, \(batch), 'sale',
                    '\(movement.currency)', \(movement.amount), 0, 0, 'dejavoo', \(merchant), '\(terminal)',
                    \(Self.date(movement.day)), 'gateway')
                """
            )
            await connection.close()
        }
    }

    static func id(_ transaction: Int) -> String {
        let digits = String(transaction, radix: 16)
        return "'00000000-0000-8000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits + "'"
    }

    /// A statement in Daybook's own format.
    static func file(_ lines: [PlantedWorld.Line]) throws -> [UInt8] {
        let columns = [
            "processor_id", "related_id", "rrn", "auth_code", "last_four", "invoice", "merchant", "terminal", "batch",
            "group",
        ]
        var text = "type,currency,gross,fee,day,role,other_reference,\(columns.joined(separator: ","))\n"
        for line in lines {
            func decimal(_ amount: Int64) -> String {
                let (whole, rest) = (amount.magnitude / 100, amount.magnitude % 100)
                return "\(amount < 0 ? "-" : "")\(whole).\(rest < 10 ? "0" : "")\(rest)"
            }
            let day = try #require(Timestamp(rfc3339: "2026-01-01T00:00:00Z"))
                .adding(microseconds: Int64(line.day) * 86_400_000_000).rfc3339.prefix(10)
            let cells =
                [
                    line.type, line.currency, decimal(line.gross), line.fee.map(decimal) ?? "", String(day),
                    line.role,
                    line.name,
                ] + columns.map { line.keys[$0] ?? "" }
            text += cells.joined(separator: ",") + "\n"
        }
        return Array(text.utf8)
    }

    @discardableResult
    func `import`(_ lines: [PlantedWorld.Line]) async throws -> StatementImporter.Outcome {
        let request = StatementImporter.Request(format: .daybookCSV)
        return try await ledger.reconciliation.importer.import(
            StatementBytes(try Self.file(lines)),
            request,
            sender: Self.sender
        )
    }

    /// Runs once, and waits until the read model contains the result.
    @discardableResult
    func reconcile(whole: Bool = false) async throws -> Reconciler.Outcome {
        let outcome = try await ledger.reconciliation.reconciler.run(whole: whole, sender: Self.sender)
        let isThere = try await ledger.readModels.wait(
            for: "reconciliation",
            toReach: outcome.position,
            timeout: .seconds(60)
        )
        try #require(isThere)
        return outcome
    }

    func links() async throws -> Set<PlantedWorld.Finding> {
        try await findings(
            """
            SELECT k.rule, l.view -> 'references' ->> 'other_reference', k.transaction FROM read_reconciliation.links k
            JOIN read_statements.lines l ON l.tenant = k.tenant AND l.id = k.line WHERE k.tenant = 'acme' AND k.until IS NULL
            """
        )
    }

    func exceptions() async throws -> Set<PlantedWorld.Finding> {
        try await findings(
            """
            SELECT x.class, l.view -> 'references' ->> 'other_reference', x.transaction FROM read_reconciliation.exceptions x
            LEFT JOIN read_statements.lines l ON l.tenant = x.tenant AND l.id = x.line
            WHERE x.tenant = 'acme' AND x.status = 'open'
            """
        )
    }

    private func findings(_ sql: String) async throws -> Set<PlantedWorld.Finding> {
        var found: Set<PlantedWorld.Finding> = []
        for row in try await ledger.pool.query(sql, []) {
            let transaction = try row.uuidOrNull(2).flatMap { Int($0.description.suffix(12), radix: 16) }
            found.insert(.init(what: try row.text(0), line: try row.textOrNull(1), transaction: transaction))
        }
        return found
    }
}

extension TestDatabase.Template {
    /// An empty ledger with its read models: making their tables takes longer than most tests.
    static let readModels = ledger("read-models") { url in
        let ledger = Ledger(
            configuration: PostgresConfiguration(connectionString: url),
            connections: 6,
            acquireTimeout: .seconds(60),
            logger: TestLog.logger
        )
        try await ledger.run(for: .appending) {}
    }
}
