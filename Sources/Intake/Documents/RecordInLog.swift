import EventLog
import Payments
import Vendors

/// Completes a record from what is in the log, if memory did not suffice or was wrong.
struct RecordInLog {
    private let recorder: TransactionRecorder

    init(_ recorder: TransactionRecorder) {
        self.recorder = recorder
    }

    /// - Parameter rest: What remains to be done.
    func finish(_ record: SubmittedRecord, _ rest: IntakeRun.Rest) async -> IntakeRun.Outcome {
        let document: PreparedDocument
        switch record.reading {
        case .success(let read): document = read
        case .failure(let refused): return .failure(refused.problem)
        }
        do {
            switch rest {
            case .answer(let result): return await answer(result, document, record.sender)
            case .decision:
                return await answer(try await decide(document, record.sender), document, record.sender)
            }
        } catch {
            return .failure(IntakeProblem(appending: error))
        }
    }

    /// Decides from what is in the log, and appends.
    private func decide(_ document: PreparedDocument, _ sender: Sender) async throws -> AppendResult {
        switch document.placement {
        case .batch(let batch, let facts):
            return try await recorder.record(
                facts,
                about: batch,
                from: document.received,
                idempotency: document.idempotency,
                occurredAt: document.occurredAt,
                sender: sender
            )
        case .reader, .checkout, .tenant:
            guard let item = try recorder.journalItem(document, from: sender) else { throw AppendError(.refused) }
            return try await recorder.sequencer.append(item)
        case .payment(let facts):
            let known = try await named(document, sender)
            return try await recorder.record(
                facts,
                ifAsked: document.ifAsked,
                from: document.received,
                stream: known,
                keys: document.keys(isNamed: known != nil),
                idempotency: document.idempotency,
                policy: document.observation.policy,
                occurredAt: document.occurredAt,
                sender: sender,
                isIntake: true
            )
        }
    }

    /// The stream that the app's reference names, if it exists.
    private func named(_ document: PreparedDocument, _ sender: Sender) async throws -> String? {
        guard let stream = document.namedStream else { return nil }
        return try await recorder.reader.stream(stream, of: sender.tenant, limit: 1).isEmpty ? nil : stream
    }

    /// The answer to the sender, read back from the log, so that a repeat gets the same one.
    private func answer(
        _ result: AppendResult,
        _ document: PreparedDocument,
        _ sender: Sender
    ) async -> IntakeRun.Outcome {
        do {
            switch result {
            case .appended(let range):
                return .success(try IntakeAnswer(range, try await recorder.reader.range(range), isDuplicate: false))
            case .duplicate(let range): return try await RepeatedRequest(recorder, sender).answer(range, document)
            case .mismatch: return .failure(.idempotencyMismatch)
            case .claimed, .conflict:
                return .failure(
                    IntakeProblem(.overloaded, "Too many requests about one payment at once. Send it again.")
                )
            }
        } catch {
            // The facts are durable; only reading them back failed. A repeat of the request gets the answer.
            return .failure(
                IntakeProblem(.outcomeUnknown, "The record may be in the log. Send it again to learn its outcome.")
            )
        }
    }
}
