import EventLog

/// How much may wait to be taken in.
package struct IntakeLimits: Sendable {
    /// Documents waiting at most; beyond that, `overloaded`.
    package var documents = 2048
    /// Bytes of documents waiting at most, as they were sent; a lone document is always taken.
    package var bytes = 32 << 20
    /// Documents of a window at most.
    package var windowDocuments = 250
    /// Bytes of a window at most; a window of one document may be larger.
    package var windowBytes = 4 << 20

    package init() {}
}

/// Takes documents that come in requests of their own in by the window: those that arrive while the earlier ones are
/// decided about and appended make up the next one. A lone document goes at once; nothing waits for a time to pass.
///
/// Senders are independent of each other: whoever gives up waiting is told that the outcome is unknown, while the
/// document stays on its way.
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

    /// Records a document, and returns when its fate is durable.
    ///
    /// - Parameter byteCount: Of the record as it was sent.
    func take(_ record: SubmittedRecord, byteCount: Int) async -> IntakeRun.Outcome {
        switch await recordOutcome(of: record, byteCount) {
        case .outcome(let outcome): outcome
        // In the sender's own task, so that nobody waits for reads made for another one.
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

    /// Records window after window until `close()`; then what has been accepted is finished first.
    ///
    /// One at a time: what a window decided is remembered before the next one is decided about.
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

    /// Documents waiting right now.
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
