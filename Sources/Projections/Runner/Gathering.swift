import Synchronization

/// The read models that follow the log together, and how far each has come.
struct Gathering {
    /// The read models that are furthest behind, and how far the log can be applied to them at once.
    struct Step: Hashable {
        var start: Int64
        /// The position of the next read models that are further; the step ends there, so that they go on together.
        var ceiling: Int64
        var names: Set<String>
    }

    private(set) var positions: [String: Int64] = [:]

    /// Nil when no read model is here.
    var next: Step? {
        guard let start = positions.values.min() else { return nil }
        return Step(
            start: start,
            ceiling: positions.values.filter { $0 > start }.min() ?? .max,
            names: Set(positions.filter { $0.value == start }.keys)
        )
    }

    /// A read model follows with the others, or has come to another position.
    mutating func put(_ name: String, at position: Int64) { positions[name] = position }

    mutating func remove(_ name: String) { positions[name] = nil }
}

/// Read models that come back to follow with the others.
final class Arrivals: Sendable {
    private let arrived = Mutex<[String: Int64?]>([:])

    /// - Parameter position: Nil if the read model does not follow any more.
    func add(_ name: String, at position: Int64?) { arrived.withLock { $0[name] = .some(position) } }

    var isEmpty: Bool { arrived.withLock(\.isEmpty) }

    /// The read models that have arrived since the last call.
    func take() -> [String: Int64?] {
        arrived.withLock { arrived in
            defer { arrived = [:] }
            return arrived
        }
    }
}
