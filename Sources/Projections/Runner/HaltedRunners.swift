import Synchronization

/// The read models whose runners in this process are halted: each has tried the event and recorded the fault.
package final class HaltedRunners: Sendable {
    private let names = Mutex<Set<String>>([])

    package init() {}

    func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
    func insert(_ name: String) { names.withLock { _ = $0.insert(name) } }
    func remove(_ name: String) { names.withLock { _ = $0.remove(name) } }
}
