import EventLog

/// How much may wait to be recorded.
package struct IntakeLimits: Sendable {
    /// The largest number of waiting documents; beyond that, `overloaded`.
    package var documents = 2048
    /// The largest number of waiting bytes, as sent; a single document is always accepted.
    package var bytes = 32 << 20
    /// The largest number of documents in a window.
    package var windowDocuments = 250
    /// The largest number of bytes in a window; a window of one document may be larger.
    package var windowBytes = 4 << 20

    package init() {}
}

/// Records documents of separate requests in windows: those that arrive while the earlier ones are decided and appended
/// form the next window. A single document is recorded at once; nothing waits for a timer.
///
/// Senders are independent: a sender that stops waiting gets the answer that the outcome is unknown, while its document
/// is still recorded.
actor IntakeQueue {
    private struct Entry {
        let record: SubmittedRecord
        let byteCount: Int
        let ticket: IntakeTicket
    }

    private let recorder: TransactionRecorder
    private let limits: IntakeLimits
    private var waiting: [Entry] = []
    private var waitingBytes = 0
    private var wake: CheckedContinuation<Void, Never>?
    private var isClosed = false

    init(_ recorder: TransactionRecorder, limits: IntakeLimits) {
        self.recorder = recorder
        self.limits = limits
    }

    /// Records a document, and returns when its result is durable.
    ///
    /// - Parameter byteCount: The size of the record as it was sent.
    func take(_ record: SubmittedRecord, byteCount: Int) async -> IntakeRun.Outcome {
        switch await recordOutcome(of: record, byteCount) {
        case .outcome(let outcome): outcome
        // Done in the sender's own task, so that no sender waits for reads made for another one.
        case .rest(let rest): await RecordInLog(recorder).finish(record, rest)
        }
    }

    private func recordOutcome(of record: SubmittedRecord, _ byteCount: Int) async -> IntakeRun.RecordOutcome {
        if isClosed { return .failed(AppendError(.shuttingDown)) }
        let isFull = waiting.count >= limits.documents || waitingBytes + byteCount > limits.bytes
        if isFull, !waiting.isEmpty { return .failed(AppendError(.queueFull)) }
        let ticket = IntakeTicket()
        waiting.append(Entry(record: record, byteCount: byteCount, ticket: ticket))
        waitingBytes += byteCount
        wakeUp()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { ticket.wait($0) }
        } onCancel: {
            ticket.settle(.failed(AppendError(.outcomeUnknown)))
        }
    }

    /// Records window after window until `close()`, then finishes what has been accepted.
    ///
    /// One window at a time: what a window decided is remembered before the next one is decided.
    func run() async {
        while true {
            if !waiting.isEmpty {
                let window = next()
                let fates = await IntakeRun.gather(window.map(\.record), recorder)
                for (entry, recordOutcome) in zip(window, fates) { entry.ticket.settle(recordOutcome) }
            } else if isClosed {
                return
            } else {
                await withCheckedContinuation { wake = $0 }
            }
        }
    }

    /// Refuses further documents; `run()` returns when the accepted ones are done.
    func close() {
        isClosed = true
        wakeUp()
    }

    /// The number of documents waiting now.
    var depth: Int { waiting.count }

    private func next() -> [Entry] {
        var count = 0
        var bytes = 0
        for entry in waiting.prefix(limits.windowDocuments) {
            guard count == 0 || bytes + entry.byteCount <= limits.windowBytes else { break }
            bytes += entry.byteCount
            count += 1
        }
        let window = Array(waiting[..<count])
        waiting.removeFirst(count)
        waitingBytes -= bytes
        return window
    }

    private func wakeUp() {
        wake?.resume()
        wake = nil
    }
}

extension IntakeRun.RecordOutcome {
    fileprivate static func failed(_ error: AppendError) -> Self { .outcome(.failure(IntakeProblem(appending: error))) }
}
