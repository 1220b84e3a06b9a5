import Canonical
import EventLog
import Payments

/// Answers a record that is already in the log.
///
/// The log keeps every key. A repeat that is recognised by its content but has a new key of the sender's appends a
/// `RequestRepeated` with that key, which leads every later request under it to the first answer.
struct RepeatedRequest {
    private let recorder: TransactionRecorder
    private let sender: Sender

    init(_ recorder: TransactionRecorder, _ sender: Sender) {
        self.recorder = recorder
        self.sender = sender
    }

    /// - Parameter range: The events of the record, or the event that leads there.
    /// - Throws: `AppendError`, or the errors of reading the log.
    func answer(_ range: AppendedRange, _ document: PreparedDocument) async throws -> IntakeRun.Outcome {
        let first = try await followed(range)
        if document.hasSenderKey, let key = document.idempotency.first {
            if let known = try await recorder.reader.appended(under: key.key, of: sender.tenant) {
                guard known.request == key.request else { return .failure(.idempotencyMismatch) }
            } else if case .mismatch = try await remember(key, first.range) {
                return .failure(.idempotencyMismatch)
            }
        }
        return .success(try IntakeAnswer(first.range, first.events, isDuplicate: true))
    }

    /// The events of the first answer.
    private func followed(_ range: AppendedRange) async throws -> (range: AppendedRange, events: [RecordedEvent]) {
        let events = try await recorder.reader.range(range)
        guard let only = events.first, only.type == TenantEvent.Name.requestRepeated.rawValue,
            only.stream == StreamName.tenant(sender.tenant),
            case .requestRepeated(let earlier) = try TenantEvent(
                type: only.type,
                schema: only.schema,
                data: JSONValue(parsing: only.data.utf8)
            )
        else { return (range, events) }
        let first = AppendedRange(firstPosition: earlier.position, count: earlier.count)
        return (first, try await recorder.reader.range(first))
    }

    private func remember(_ key: IdempotencyKey, _ first: AppendedRange) async throws -> AppendResult {
        let event = TenantEvent.requestRepeated(RequestRepeat(position: first.firstPosition, count: first.count))
        return try await recorder.sequencer.append(
            AppendItem(
                tenant: sender.tenant,
                stream: StreamName.tenant(sender.tenant),
                expected: .any,
                idempotency: [key],
                events: try recorder.proposed(
                    [event],
                    occurredAt: recorder.clock.now(),
                    sender: sender,
                    hasDocument: false
                )
            )
        )
    }
}
