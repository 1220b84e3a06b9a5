import Canonical
import Crypto
import EventLog
import Intake
import Payments

/// Records on payments what the closings of batches show.
struct SettlementRecorder {
    private let recorder: TransactionRecorder

    init(_ recorder: TransactionRecorder) {
        self.recorder = recorder
    }

    /// Records that a payment's money is in a closed batch.
    ///
    /// - Parameters:
    ///   - closedAt: The time of the event of the closing.
    ///   - key: What the cause settles; the payment if left out.
    func record(
        _ closing: BatchClosing,
        closedAt: Timestamp?,
        cause: RecordedEvent,
        on stream: String,
        key: String? = nil
    ) async throws {
        try await record(
            [.settled(Self.settlement(closing, closedAt))],
            at: closing.at?.instant ?? cause.occurredAt,
            cause: cause,
            on: stream,
            key: "settled:\(cause.tenant):\(cause.id):\(key ?? stream)"
        )
    }

    /// Records the generation that money is in, and that it is settled if that one is closed.
    ///
    /// - Parameter cause: The event of the money, or the closing that shows the generation.
    func record(
        _ money: BatchedMoney,
        in batch: BatchReference,
        among generations: BatchGenerations,
        on stream: String,
        cause: RecordedEvent
    ) async throws {
        var facts = [TransactionEvent.batchAssigned(BatchAssignment(line: money.line, batch: batch))]
        let closed = generations.closing(of: batch.generation, at: money.madeAt)
        if closed == nil, BatchGenerations.isMissingClosing(batch.generation) {
            let explanation = "\(money.line) is too old for the closings of its batch number; its own is not recorded"
            facts.append(.anomalyRaised(Anomaly(.settlementMismatch, explanation)))
        }
        if let closed, money.hasMoney {
            facts.append(.settled(Self.settlement(closed.closing, closed.end.instant)))
            if generations.isLate(batch.generation, recordedAt: money.position) {
                let explanation = "\(money.line) is of \(batch.text), and was reported after a later use of the number"
                facts.append(.anomalyRaised(Anomaly(.settlementMismatch, explanation)))
            }
        }
        try await record(
            facts,
            at: closed?.closing.at?.instant ?? cause.occurredAt,
            cause: cause,
            on: stream,
            key: "assigned:\(cause.tenant):\(cause.id):\(stream):\(money.line):\(batch.text)"
        )
    }

    /// Records a closing that was sent to the stream of another generation for the one that it closes.
    func record(_ closing: BatchClosing, in generation: Int, cause: RecordedEvent) async throws {
        let batch = closing.batch.inGeneration(generation)
        let key = Array(SHA256.hash(data: Array("closed:\(cause.tenant):\(cause.id)".utf8)))
        _ = try await recorder.record(
            [BatchEvent.batchClosed(closing).about(batch)],
            about: batch,
            from: nil,
            idempotency: [IdempotencyKey(key: key, request: key)],
            occurredAt: cause.occurredAt,
            sender: Self.sender(cause),
            isIntake: false
        )
    }

    private static func sender(_ cause: RecordedEvent) -> Sender {
        Sender(tenant: cause.tenant, actor: "process:settlement", correlation: cause.correlation)
    }

    private static func settlement(_ closing: BatchClosing, _ closedAt: Timestamp?) -> Settlement {
        Settlement(
            id: closing.settlement ?? closing.batch.text,
            batch: closing.batch,
            evidence: closing.rankedEvidence,
            response: closing.response,
            at: closing.at,
            occurredAt: closing.at?.instant == nil ? closedAt : nil
        )
    }

    private func record(
        _ facts: [TransactionEvent],
        at occurredAt: Timestamp,
        cause: RecordedEvent,
        on stream: String,
        key: String
    ) async throws {
        let key = Array(SHA256.hash(data: Array(key.utf8)))
        _ = try await recorder.record(
            facts,
            from: nil,
            stream: stream,
            keys: [],
            idempotency: [IdempotencyKey(key: key, request: key)],
            policy: LifecyclePolicy(),
            occurredAt: occurredAt,
            sender: Self.sender(cause)
        )
    }
}
