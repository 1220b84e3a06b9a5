#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The output of a program that runs beside the test, and the tests that wait for a line of it.
actor ProcessTranscript {
    enum Stream: Hashable {
        case output
        case error
    }

    private struct Waiter {
        let condition: @Sendable (String) -> Bool
        let continuation: CheckedContinuation<String, any Error>
    }

    private static let limitBytes = 1 << 20

    private let name: String
    private var lines: [Stream: [String]] = [:]
    private var sizesInBytes: [Stream: Int] = [:]
    private var processID: Int32?
    private var end: Result<Int, TestKitError>?
    private var startWaiters: [CheckedContinuation<Int32, any Error>] = []
    private var lineWaiters: [Int: Waiter] = [:]
    private var waiterCount = 0

    init(name: String) { self.name = name }

    // MARK: From the program

    func hasStarted(_ processID: Int32) {
        self.processID = processID
        for waiter in startWaiters { waiter.resume(returning: processID) }
        startWaiters = []
    }

    func append(_ text: String, to stream: Stream) {
        var line = text
        while line.last?.isNewline == true { line.removeLast() }
        lines[stream, default: []].append(line)
        sizesInBytes[stream, default: 0] += line.utf8.count + 1
        while sizesInBytes[stream, default: 0] > Self.limitBytes, let first = lines[stream]?.first {
            lines[stream]?.removeFirst()
            sizesInBytes[stream, default: 0] -= first.utf8.count + 1
        }
        guard stream == .output else { return }
        for (key, waiter) in lineWaiters where waiter.condition(line) {
            lineWaiters[key] = nil
            waiter.continuation.resume(returning: line)
        }
    }

    func hasEnded(_ result: Result<Int, TestKitError>) {
        end = result
        for waiter in startWaiters { waiter.resume(throwing: endedEarly()) }
        for waiter in lineWaiters.values { waiter.continuation.resume(throwing: endedEarly()) }
        startWaiters = []
        lineWaiters = [:]
    }

    // MARK: From the test

    func started() async throws -> Int32 {
        if let processID { return processID }
        if end != nil { throw endedEarly() }
        return try await withCheckedThrowingContinuation { startWaiters.append($0) }
    }

    func exitStatus() throws -> Int {
        guard let end else { throw TestKitError("\(name) has not ended") }
        return try end.get()
    }

    func text(of stream: Stream) -> String { (lines[stream] ?? []).joined(separator: "\n") }

    func line(where condition: @escaping @Sendable (String) -> Bool) async throws -> String {
        if let line = lines[.output]?.first(where: condition) { return line }
        if end != nil { throw endedEarly() }
        waiterCount += 1
        let key = waiterCount
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    lineWaiters[key] = Waiter(condition: condition, continuation: continuation)
                }
            }
        } onCancel: {
            Task { await self.giveUp(key) }
        }
    }

    private func giveUp(_ key: Int) {
        lineWaiters.removeValue(forKey: key)?.continuation.resume(throwing: CancellationError())
    }

    private func endedEarly() -> TestKitError {
        if case .failure(let error) = end { return error }
        let status = if case .success(let code) = end { " with \(code)" } else { "" }
        return TestKitError(
            "\(name) ended\(status) before the awaited line.\nstdout:\n\(text(of: .output))\nstderr:\n\(text(of: .error))"
        )
    }
}
