import Synchronization

/// How many lines are processed at once.
package struct LineWindowLimits: Sendable, Hashable {
    /// The largest number of lines in a window.
    package var lines: Int
    /// The approximate number of bytes that may wait to be processed; one line may be longer.
    package var bytes: Int

    package init(lines: Int, bytes: Int) {
        self.lines = lines
        self.bytes = bytes
    }
}

extension RequestBody {
    /// Passes the lines of the body on in windows: a window is what arrived while the previous one was processed, so
    /// that a slow sender is answered line by line and a fast one by the hundred. Memory is bounded by the limits.
    ///
    /// - Parameters:
    ///   - lineLimit: The largest number of bytes of a line.
    ///   - work: Called with one or more lines at a time, in order.
    /// - Throws: The errors of reading, after the lines before it were processed; or the errors of `work`.
    package func withLineWindows(
        lineLimit: Int,
        _ limits: LineWindowLimits,
        _ work: ([LineReader.Line]) async throws -> Void
    ) async throws {
        let windows = LineWindows(limits)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var lines = self.lines(lineLimit: lineLimit)
                do {
                    while let line = try await lines.next() { await windows.put(line) }
                    windows.finish(nil)
                } catch {
                    windows.finish(error)
                }
            }
            while let window = try await windows.next() { try await work(window) }
        }
    }
}

/// A bounded queue between one reader of a body and one worker that processes its lines.
private final class LineWindows: Sendable {
    private struct State {
        var lines: [LineReader.Line] = []
        var bytes = 0
        var isFinished = false
        var failure: (any Error)?
        var reader: CheckedContinuation<Void, Never>?
        var worker: CheckedContinuation<Void, Never>?

        mutating func takeReader() -> CheckedContinuation<Void, Never>? {
            defer { reader = nil }
            return reader
        }

        mutating func takeWorker() -> CheckedContinuation<Void, Never>? {
            defer { worker = nil }
            return worker
        }
    }

    private let limits: LineWindowLimits
    private let state = Mutex(State())

    init(_ limits: LineWindowLimits) {
        self.limits = limits
    }

    /// Adds a line; waits while the queue is full. After cancellation it does not wait, since the worker takes no more
    /// lines.
    func put(_ line: LineReader.Line) async {
        let worker = state.withLock { state in
            state.lines.append(line)
            state.bytes += line.byteCount
            return state.takeWorker()
        }
        worker?.resume()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if Task.isCancelled || !isFull(state) { return true }
                    state.reader = continuation
                    return false
                }
                if goesOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.takeReader() }?.resume()
        }
    }

    func finish(_ failure: (any Error)?) {
        let worker = state.withLock { state in
            state.isFinished = true
            state.failure = failure
            return state.takeWorker()
        }
        worker?.resume()
    }

    /// The lines that have arrived, as soon as there are any; nil at the end.
    func next() async throws -> [LineReader.Line]? {
        while true {
            let (window, isFinished, reader) = try state.withLock { state in
                let count = min(state.lines.count, limits.lines)
                let window = Array(state.lines.prefix(count))
                state.lines.removeFirst(count)
                state.bytes -= window.reduce(0) { $0 + $1.byteCount }
                if window.isEmpty, let failure = state.failure { throw failure }
                return (window, state.isFinished, isFull(state) ? nil : state.takeReader())
            }
            reader?.resume()
            if !window.isEmpty { return window }
            if isFinished { return nil }
            await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    let goesOn = state.withLock { state in
                        if Task.isCancelled || state.isFinished || !state.lines.isEmpty { return true }
                        state.worker = continuation
                        return false
                    }
                    if goesOn { continuation.resume() }
                }
            } onCancel: {
                state.withLock { $0.takeWorker() }?.resume()
            }
            try Task.checkCancellation()
        }
    }

    private func isFull(_ state: State) -> Bool { state.bytes >= limits.bytes || state.lines.count >= limits.lines * 2 }
}

extension LineReader.Line {
    /// The approximate memory it takes; a line that is too long is not kept.
    fileprivate var byteCount: Int {
        if case .bytes(let bytes) = self { bytes.count + 32 } else { 32 }
    }
}
