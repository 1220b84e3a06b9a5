import Canonical
import Crypto
package import EventLog
package import Intake
package import Logging
import Payments
package import Postgres
package import Projections

/// Settles payments when their batch is closed: follows the log, and for each `BatchClosed` records `Settled` on
/// every payment with money in that batch. A capture, credit or refund that is reported after its batch was closed is
/// settled then.
package struct SettlementProcess: Sendable {
    private static let name = "settlement"
    private static let page = 500

    private let pool: PostgresPool
    private let follower: Follower
    private let recorder: TransactionRecorder
    private let readModels: ReadModels
    private let batches: BatchQuery
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
        self.recorder = recorder
        self.readModels = readModels
        loop = BackgroundLoop(failureMessage: "settlement waits", logger: logger, clock: clock)
        follower = Follower(reader: reader, signal: appended, clock: clock)
        batches = BatchQuery(pool: pool)
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
        let captures = try events.compactMap(BatchedMoney.init)
        if let last = (closings + captures.map(\.event)).map(\.position).max() {
            // Members and closings are read from the read model `batches`, which must contain these events first.
            try await waitForBatches(last)
            for event in closings { try await settle(event) }
            try await settleLate(captures)
        }
        if let last = events.last { try await advance(from: position, to: last.position) }
    }

    /// Settles the members of a batch that was just closed.
    private func settle(_ event: RecordedEvent) async throws {
        guard case .batchClosed(let closing) = try BatchEvent(event) else { return }
        let batch = StreamName.batchID(closing.batch, of: event.tenant)
        var last: (transaction: UUID128, line: String)?
        while true {
            let lines = try await batches.lines(of: batch, tenant: event.tenant, after: last, limit: Self.page)
            // Lines voided before the closing are not settled.
            let open = lines.filter { $0.amount.value > $0.voided }
            for transaction in Set(open.map(\.transaction)).sorted() {
                try await record(closing, cause: event, on: StreamName.transaction(transaction))
            }
            guard let end = lines.last, lines.count == Self.page else { return }
            last = (end.transaction, end.line)
        }
    }

    /// Settles payments whose batch was closed before their money was reported.
    private func settleLate(_ captures: [BatchedMoney]) async throws {
        var closings: [BatchedMoney.Key: BatchClosing] = [:]
        for key in Set(captures.map(\.key)) {
            let batch = StreamName.batchID(key.batch, of: key.tenant)
            closings[key] = try await batches.closing(batch, of: key.tenant)
        }
        for capture in captures {
            guard let closing = closings[capture.key], capture.isBefore(closing) else { continue }
            try await record(closing, cause: capture.event, on: capture.event.stream)
        }
    }

    private func record(_ closing: BatchClosing, cause: RecordedEvent, on stream: String) async throws {
        let settlement = Settlement(
            id: closing.settlement ?? closing.batch.text,
            batch: closing.batch,
            evidence: closing.rankedEvidence,
            response: closing.response,
            at: closing.at
        )
        let key = Array(SHA256.hash(data: Array("settled:\(cause.tenant):\(cause.id):\(stream)".utf8)))
        _ = try await recorder.record(
            [.settled(settlement)],
            from: nil,
            stream: stream,
            keys: [],
            idempotency: [IdempotencyKey(key: key, request: key)],
            policy: LifecyclePolicy(),
            occurredAt: closing.at?.instant ?? cause.occurredAt,
            sender: Sender(tenant: cause.tenant, actor: "process:\(Self.name)", correlation: cause.correlation)
        )
    }

    private func waitForBatches(_ position: Int64) async throws {
        while try await !readModels.wait(for: "batches", toReachKnown: position, timeout: .seconds(10)) {
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

/// A capture, credit or refund whose document named its batch.
private struct BatchedMoney {
    struct Key: Hashable {
        var tenant: String
        var batch: BatchReference
    }

    let event: RecordedEvent
    let key: Key
    /// The time its document reports, else that of the event.
    private let at: ReportedTime

    /// Nil for every other event.
    init?(_ event: RecordedEvent) throws {
        guard ["Captured", "CreditApproved", "Refunded"].contains(event.type) else { return nil }
        let (batch, at): (BatchReference?, ReportedTime?) =
            switch try TransactionEvent(event) {
            case .captured(let capture): (capture.batch, capture.at)
            case .creditApproved(let approval): (approval.batch, approval.at)
            case .refunded(let refund): (refund.batch, refund.at)
            default: (nil, nil)
            }
        guard let batch, batch.number != nil else { return nil }
        self.event = event
        self.at = at ?? .instant(event.occurredAt)
        key = Key(tenant: event.tenant, batch: batch)
    }

    /// False when the host has reused the batch number: money captured after the closing is not in the closed batch.
    func isBefore(_ closing: BatchClosing) -> Bool { closing.at.map { !$0.isBefore(at) } ?? true }
}
