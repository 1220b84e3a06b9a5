import Canonical
package import EventLog
package import Intake
package import Logging
import Payments
package import Postgres
package import Projections

/// Settles payments when their batch is closed: follows the log, and for each `BatchClosed` records `Settled` on
/// every payment with money in that batch. A capture, credit or refund that is reported after its batch was closed is
/// settled then. A number that is used again after its closing is another batch: `BatchAssigned` puts its money there.
/// Batches that documents name differently are linked first.
///
/// The closing of a batch without a number takes the account's money that was made before it and is in no numbered
/// batch, under any name of the account. Money and names that are reported later are settled then.
package struct SettlementProcess: Sendable {
    private static let name = "settlement"
    private static let page = 500

    private let pool: PostgresPool
    private let follower: Follower
    private let recorder: SettlementRecorder
    private let numbered: NumberedSettlement
    private let readModels: ReadModels
    private let batches: BatchQuery
    private let unnamed: UnnamedClosings
    private let linking: BatchLinking
    private let loop: BackgroundLoop

    package init(
        pool: PostgresPool,
        reader: EventReader,
        recorder: TransactionRecorder,
        readModels: ReadModels,
        appended: PositionSignal,
        logger: Logger,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.pool = pool
        self.recorder = SettlementRecorder(recorder)
        numbered = NumberedSettlement(pool: pool, reader: reader, recorder: self.recorder)
        self.readModels = readModels
        loop = BackgroundLoop(failureMessage: "settlement waits", logger: logger, clock: clock)
        follower = Follower(reader: reader, signal: appended, clock: clock)
        batches = BatchQuery(pool: pool)
        unnamed = UnnamedClosings(pool: pool, reader: reader)
        linking = BatchLinking(pool: pool, reader: reader, recorder: recorder)
    }

    /// Follows the log until cancelled. A failed step is retried.
    package func run() async {
        await loop.run {
            try await step()
            // Settlement is not urgent, and a step for every event would only cost transactions.
            return .time(.milliseconds(50))
        }
    }

    /// Waits for the next events and handles them.
    package func step() async throws {
        let position = try await Self.position(in: pool)
        let events = try await follower.next(after: position)
        let closings = events.filter { $0.type == "BatchClosed" }
        let reports = events.filter { StreamName.transactionID($0.stream) != nil && $0.type != "Settled" }
        // A terminal's registration may link a name to a closed account.
        let registrations = events.filter { StreamName.readerReference($0.stream) != nil }
        let relevant = closings + reports + registrations
        if let last = relevant.map(\.position).max() {
            // Members, closings and names are read from read models, which must contain these events first.
            for name in ["batches", "merchants"] { try await wait(for: name, toReach: last) }
            let accounts = try await unnamed.accounts(linkedAfter: position, upTo: last)
            let named = accounts.compactMap { batch in
                batch.account.map { VendorAccount(tenant: batch.tenant, vendor: batch.vendor, name: $0) }
            }
            try await linking.link(relevant, after: position, upTo: last, named)
            for event in closings { try await settle(event, at: last) }
            try await numbered.settleLate(reports)
            try await settleLate(reports, upTo: last)
            try await settleLinked(accounts, upTo: last)
        }
        if let last = events.last { try await advance(from: position, to: last.position) }
    }

    /// Settles the members of a batch that was just closed.
    private func settle(_ event: RecordedEvent, at position: Int64) async throws {
        guard case .batchClosed(let closing) = try BatchEvent(event) else { return }
        if closing.batch.number == nil {
            let closed = UnnamedClosing(closing, event)
            let others = try await unnamed.batches(sharing: closed.batch, at: position)
            return try await settle(closed, in: others, at: position)
        }
        if let generation = try await numbered.otherGeneration(of: closing, event) {
            return try await recorder.record(closing, in: generation, cause: event)
        }
        for batch in try await unnamed.references(of: closing.batch, tenant: event.tenant, at: position) {
            try await numbered.settle(batch, by: closing, cause: event)
        }
    }

    /// Settles the money in unnamed batches that was made before the closing.
    private func settle(
        _ closed: UnnamedClosing,
        in others: Set<UnnamedBatch>,
        at position: Int64
    ) async throws {
        for batch in others.sorted(by: { $0.reference.text < $1.reference.text }) {
            var last: UnnamedLine?
            repeat {
                let lines = try await batches.lines(of: batch, after: last, limit: Self.page)
                let own = try await unnamed.own(lines.filter(closed.takes), of: closed.batch, at: position)
                for payment in Set(own.map(\.transaction)).sorted() {
                    let closedAt = closed.event.occurredAt
                    try await recorder.record(
                        closed.closing,
                        closedAt: closedAt,
                        cause: closed.event,
                        on: StreamName.transaction(payment)
                    )
                }
                last = lines.count == Self.page ? lines.last : nil
            } while last != nil
        }
    }

    /// Settles what events show of closed unnamed batches: the money of their payments.
    private func settleLate(_ reports: [RecordedEvent], upTo end: Int64) async throws {
        let closed = try await batches.closedUnnamed(of: Set(reports.map(\.tenant)))
        guard !closed.isEmpty else { return }
        var causes: [String: [UUID128: RecordedEvent]] = [:]
        for event in reports where closed.contains(where: { $0.tenant == event.tenant }) {
            guard let payment = StreamName.transactionID(event.stream).flatMap({ UUID128($0) }) else { continue }
            causes[event.tenant, default: [:]][payment] = event
        }
        var closings: [UnnamedBatch: [UnnamedClosing]] = [:]
        for (tenant, causes) in causes.sorted(by: { $0.key < $1.key }) {
            for line in try await batches.unnamedLines(of: Array(causes.keys), tenant: tenant) {
                if closings[line.batch] == nil {
                    let others = try await unnamed.batches(sharing: line.batch, at: end)
                    closings[line.batch] = try await unnamed.closings(of: closed.intersection(others))
                }
                guard let taking = closings[line.batch]?.first(where: { $0.takes(line) }),
                    let cause = causes[line.transaction],
                    try await !unnamed.own([line], of: taking.batch, at: end).isEmpty
                else { continue }
                let stream = StreamName.transaction(line.transaction)
                try await recorder.record(
                    taking.closing,
                    closedAt: taking.event.occurredAt,
                    cause: cause,
                    on: stream,
                    key: "\(taking.event.id):\(stream)"
                )
            }
        }
    }

    /// Settles the money under names that events link to a closed account.
    private func settleLinked(_ accounts: [UnnamedBatch], upTo end: Int64) async throws {
        let closed = try await batches.closedUnnamed(of: Set(accounts.map(\.tenant)))
        for account in accounts {
            let others = try await unnamed.batches(sharing: account, at: end)
            for closing in try await unnamed.closings(of: closed.intersection(others)) {
                try await settle(closing, in: others.subtracting([closing.batch]), at: end)
            }
            for (open, closed) in try await unnamed.numbered(of: account, at: end) {
                guard let (closing, event) = try await unnamed.closing(of: closed, tenant: account.tenant) else {
                    continue
                }
                try await numbered.settle(open, by: closing, cause: event)
            }
        }
    }

    private func wait(for name: String, toReach position: Int64) async throws {
        while try await !readModels.wait(for: name, toReachKnown: position, timeout: .seconds(10)) {
            try Task.checkCancellation()
        }
    }

    /// The position up to which payments are settled.
    ///
    /// - Throws: `PostgresError`.
    static func position(in pool: PostgresPool) async throws -> Int64 {
        let rows = try await pool.query("SELECT position FROM projection.processes WHERE name = $1", [.text(name)])
        return try rows.first?.int64(0) ?? 0
    }

    /// Moves the position, unless another process has moved it already.
    private func advance(from position: Int64, to next: Int64) async throws {
        _ = try await pool.execute(
            """
            INSERT INTO projection.processes AS p (name, position) VALUES ($1, $3)
            ON CONFLICT (name) DO UPDATE SET position = $3, updated_at = now() WHERE p.position = $2
            """,
            [.text(Self.name), .int64(position), .int64(next)]
        )
    }
}
