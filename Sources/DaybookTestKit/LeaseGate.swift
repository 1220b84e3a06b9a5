/// Limits how many tests use databases at once: tests run in parallel, and each may open a dozen connections.
actor LeaseGate {
    static let shared = LeaseGate(width: 8)

    /// True within a test that has passed the gate; its further leases must not wait for it.
    @TaskLocal static var isInside = false

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(width: Int) { free = width }

    func enter() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
