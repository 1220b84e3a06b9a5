import Synchronization

/// How many lines are worked on at once.
package struct LineWindowLimits: Sendable, Hashable {
    /// The most lines of a window.
    package var lines: Int
    /// About how many bytes wait to be worked on at most; one line may be longer.
    package var bytes: Int

    package init(lines: Int, bytes: Int) {
        self.lines = lines
        self.bytes = bytes
    }
}

extension RequestBody {
    /// Hands the lines of the body over in windows: a window is whatever has come while the one before was worked on,
    /// so that a slow sender is answered line by line and a quick one by the hundred. Memory is bounded by the limits.
    ///
    /// - Parameters:
    ///   - lineLimit: The most bytes of a line.
    ///   - work: Called with one or more lines at a time, in order.
    /// - Throws: What reading throws, after the lines before it were worked on; or what `work` throws.
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

/// A bounded queue between the reader of a body and who works on its lines; one of each.
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

    /// Adds a line; waits while the queue is full. After cancellation nothing waits, since nobody takes any more.
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

    /// What has come, as soon as something has; nil at the end.
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
    /// About what it takes; a line that is too long is not kept.
    fileprivate var byteCount: Int {
        if case .bytes(let bytes) = self { bytes.count + 32 } else { 32 }
    }
}
