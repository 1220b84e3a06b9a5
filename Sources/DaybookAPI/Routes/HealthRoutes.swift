import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Operations
import Projections
import Synchronization

/// Whether this process accepts traffic. It changes once, when the process begins to shut down.
package final class Readiness: Sendable {
    private let accepts = Mutex(true)

    package init() {}

    /// Ends acceptance: the process is shutting down.
    package func withdraw() { accepts.withLock { $0 = false } }

    package var isReady: Bool { accepts.withLock { $0 } }
}

extension API {
    func addHealth(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/healthz") { _ in .json(["status": "ok"]) }
        router.on(.get, "/readyz") { _ in try await readiness() }
        router.on(.get, "/metrics") { _ in .text(metrics(), type: "text/plain; version=0.0.4; charset=utf-8") }
    }

    /// The longest wait for the database. Load balancers check often and do not wait.
    private static let databaseWaitLimit = Duration.seconds(1)

    private func readiness() async throws -> EdgeResponse {
        guard readiness.isReady else { return try unready("shutting-down") }
        let positions = await withTaskGroup(of: [ReadModels.Progress]?.self) { group in
            group.addTask { try? await ledger.readModels.positions() }
            group.addTask {
                try? await ContinuousClock().sleep(for: Self.databaseWaitLimit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
        guard let positions else { return try unready("database-unavailable") }
        // A halted read model, or a log that is not proven, needs an operator, not the load balancer: reads continue.
        return try .document(ReadyJSON(positions, ledger.signing.state, ledger.log.logGuard.status))
    }

    private func unready(_ reason: String) throws -> EdgeResponse {
        try .document(NotReadyJSON(reason: reason), status: .serviceUnavailable)
    }

    func addProjections(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/projections") { request in
            _ = try principal(request, .read, .admin)
            try request.query.finish()
            return try .document(ProgressPageJSON(try await ledger.readModels.positions()))
        }
    }
}
