import Synchronization

/// Reads values by key, many with one statement: keys that are asked for while a read is under way are read together by
/// the next one.
///
/// A read begins after each of its keys was asked for, so an answer is never older than the question. Nothing waits for
/// a timer: without a read under way, a key is read at once.
package final class GatheredRead<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// The keys of one read.
    private final class Window: Sendable {
        private struct State {
            var keys: Set<Key>
            /// Those who wait for the read.
            var askers = 0
            var isOpen = true
        }

        private let state: Mutex<State>

        init() { state = Mutex(State(keys: [])) }

        /// False when the read has begun.
        func add(_ key: Key) -> Bool {
            state.withLock { state in
                guard state.isOpen else { return false }
                state.keys.insert(key)
                state.askers += 1
                return true
            }
        }

        /// The keys; none can be added from now on.
        func close() -> Set<Key> {
            state.withLock { state in
                state.isOpen = false
                return state.keys
            }
        }

        /// Returns true when no caller waits any longer.
        func leave() -> Bool {
            state.withLock { state in
                state.askers -= 1
                if state.askers == 0 { state.isOpen = false }
                return state.askers == 0
            }
        }

        var waiting: Int { state.withLock { $0.isOpen ? $0.keys.count : 0 } }
    }

    private typealias Reading = (window: Window, task: Task<[Key: Value], any Error>)

    private struct State {
        var newest: Reading?
        /// The number of reads that have not ended.
        var unfinished = 0
    }

    private let state = Mutex(State())
    private let read: @Sendable ([Key]) async throws -> [Key: Value]

    /// - Parameter read: Reads the values of different keys; keys without a value are left out.
    package init(_ read: @escaping @Sendable ([Key]) async throws -> [Key: Value]) {
        self.read = read
    }

    /// The value of a key; nil when there is none.
    ///
    /// - Throws: The errors of the read, to all who asked for its keys. A read is cancelled when all of them are.
    package func value(of key: Key) async throws -> Value? {
        let reading = reading(key)
        return try await withTaskCancellationHandler {
            try await reading.task.value[key]
        } onCancel: {
            if reading.window.leave() { reading.task.cancel() }
        }
    }

    /// The number of keys that the next read will read.
    package var waiting: Int { state.withLock { $0.newest?.window.waiting ?? 0 } }

    /// A read of the key that has not begun.
    private func reading(_ key: Key) -> Reading {
        state.withLock { state in
            if let newest = state.newest, newest.window.add(key) { return newest }
            let previous = state.newest?.task
            let window = Window()
            _ = window.add(key)
            state.unfinished += 1
            let task = Task {
                defer { end() }
                _ = await previous?.result
                return try await read(Array(window.close()))
            }
            state.newest = (window, task)
            return (window, task)
        }
    }

    private func end() {
        state.withLock { state in
            state.unfinished -= 1
            // The last result is not kept.
            if state.unfinished == 0 { state.newest = nil }
        }
    }
}
