package import Canonical
package import Postgres
import Synchronization

/// Whether this process may append to the log and act on what the log holds.
package enum LogStatus: Sendable, Hashable {
    /// The log has not been compared with everything that is known of it, for this reason.
    case unproven(ProofObstacle)
    /// The log continues everything that is known of it.
    case proven(LogEpoch)
    /// The log lacks or contradicts something that is known of it: it was set back or changed. An operator decides.
    case contradicted(EvidenceFault)

    /// Why it is not proven; nil if it is.
    package var obstacle: ProofObstacle? {
        switch self {
        case .proven: nil
        case .unproven(let obstacle): obstacle
        case .contradicted(let fault): ProofObstacle(fault)
        }
    }
}

/// An epoch of the log: how often it was adopted after it lost events.
package struct LogEpoch: Sendable, Hashable {
    /// 0 for a log that was never adopted.
    package var number: Int64
    /// The time of the adoption; nil before the first.
    package var beganAt: Timestamp?

    package init(number: Int64, beganAt: Timestamp? = nil) {
        self.number = number
        self.beganAt = beganAt
    }

    /// Reads `epoch` and `epoch_began_at` of the head.
    init(_ row: PostgresRow, at column: Int) throws(PostgresError) {
        number = try row.int64(column)
        beganAt = try row.isNull(column + 1) ? nil : try row.timestamp(column + 1)
    }
}

/// The one place in a process that knows whether the log is whole. Appends and gateway calls ask it first.
///
/// A contradicted log stays so in this process until an operator has adopted it, which begins a new epoch, or until a
/// restart.
package final class LogGuard: Sendable {
    private struct State {
        var status = LogStatus.unproven(ProofObstacle(.notCompared, "the log has not been compared yet"))
        /// The epoch proven last, also while the log is contradicted.
        var epoch: LogEpoch?
        var hold: CallHold?
        var resets: [@Sendable () -> Void] = []
        var renewals: [@Sendable () -> Void] = []
        var prove: (@Sendable () async throws -> Void)?
        var watch: (@Sendable () async throws -> CallHold?)?
        /// Counts the changes of the writer's connection.
        var connections = 0
        /// When a process without evidence reads the epoch again.
        var epochIsReadFrom: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    package init() {}

    package var status: LogStatus { state.withLock(\.status) }

    /// The epoch that was proven last; nil before the first proof.
    package var epoch: LogEpoch? { state.withLock(\.epoch) }

    /// Why no gateway may be called, beside the state of the log; nil if it may.
    package var hold: CallHold? {
        get { state.withLock(\.hold) }
        set { state.withLock { $0.hold = newValue } }
    }

    /// Registers what reads the clock and the settings of the database, and returns why no gateway may be called.
    package func setWatch(_ watch: @escaping @Sendable () async throws -> CallHold?) {
        state.withLock { $0.watch = watch }
    }

    /// Why a call that has been recorded may not be sent; nil if it may. The clock and the settings of the database are
    /// read again: this process may have been paused since, or its clock have been behind.
    package func holdBeforeSending() async -> CallHold? {
        guard let watch = state.withLock(\.watch) else { return hold }
        do { return try await watch() } catch { return .unanswered }
    }

    /// The number of the writer's connection, to be passed to `proved` after a comparison.
    var connection: Int { state.withLock(\.connections) }

    package var isContradicted: Bool { if case .contradicted = status { true } else { false } }

    /// Whether nothing will be appended before an operator has acted.
    package var waitsForOperator: Bool {
        switch status {
        case .proven: false
        case .unproven(let obstacle): [.logKeyMissing, .witnessNotNamed].contains(obstacle.code)
        case .contradicted: true
        }
    }

    package var isProven: Bool { if case .proven = status { true } else { false } }

    /// Nothing may be appended, and no gateway called, unless this returns.
    ///
    /// - Returns: The epoch of the log.
    /// - Throws: `AppendError` with `logUnproven` or `logContradicted`.
    @discardableResult
    package func requireProven() throws(AppendError) -> LogEpoch {
        switch status {
        case .proven(let epoch): return epoch
        case .unproven: throw AppendError(.logUnproven)
        case .contradicted: throw AppendError(.logContradicted)
        }
    }

    /// Registers what compares the log with its evidence, and then calls `proved`, `contradict` or `leaveUnproven`.
    package func setProof(_ prove: @escaping @Sendable () async throws -> Void) { state.withLock { $0.prove = prove } }

    /// Registers what is called when another epoch was proven: everything remembered of the log is void.
    package func onNewEpoch(_ reset: @escaping @Sendable () -> Void) { state.withLock { $0.resets.append(reset) } }

    /// Registers what is called when the writer has a new connection, before the log is compared again.
    package func onNewConnection(_ renew: @escaping @Sendable () -> Void) {
        state.withLock { $0.renewals.append(renew) }
    }

    /// Compares the log with its evidence, if there is something to compare it with.
    ///
    /// - Returns: False when nothing was registered that compares.
    /// - Throws: The errors of reading the log.
    func prove() async throws -> Bool {
        guard let prove = state.withLock(\.prove) else { return false }
        try await prove()
        return true
    }

    /// The epoch in which requests are read and answered, also while the log is contradicted.
    ///
    /// A process without evidence has nothing to compare the log with: its first request proves it, and it notices an
    /// adoption within five seconds.
    ///
    /// - Throws: The errors of reading the log.
    package func epochOfRequests(from pool: PostgresPool) async throws -> Int64 {
        let now = ContinuousClock.now
        let known = state.withLock { state -> LogEpoch? in
            guard state.prove == nil else { return state.epoch }
            if let next = state.epochIsReadFrom, next > now { return state.epoch }
            // Meanwhile other requests go on with the epoch that is known.
            state.epochIsReadFrom = now.advanced(by: .seconds(5))
            return nil
        }
        if let known { return known.number }
        return proveWithoutEvidence(try await LogEvidence(pool: pool).head())
    }

    /// Compares the log with its evidence if that has not been done in its epoch, or with the writer's connection.
    ///
    /// - Throws: The errors of reading the log, and `EvidenceFault`.
    package func establish(from pool: PostgresPool) async throws {
        guard case .unproven = status else { return }
        if try await !prove() { try await proveWithoutEvidence(LogEvidence(pool: pool).head()) }
    }

    /// Proves a log that this process has nothing to compare with, unless another process has signed it by now.
    ///
    /// - Returns: The epoch of the log.
    @discardableResult
    func proveWithoutEvidence(_ head: LogEvidence.Head) -> Int64 {
        let isNew = state.withLock { state in
            guard state.prove == nil else { return false }
            guard !head.needsKeys else {
                // A contradiction stays: only an adoption ends it.
                if case .contradicted = state.status { return false }
                let found = "the log is signed, and this process has no key of it"
                state.status = .unproven(ProofObstacle(.logKeyMissing, found))
                return false
            }
            if case .unproven = state.status { return true }
            return head.epoch.number > state.epoch?.number ?? head.epoch.number
        }
        if isNew { proved(head.epoch) }
        return head.epoch.number
    }

    /// The log continues everything that is known of it. In a new epoch, everything remembered is reset first.
    ///
    /// An epoch before the one that was proven last contradicts the log instead.
    ///
    /// - Parameter connection: The writer's connection when the comparison began. If it has changed since, the
    ///   comparison proves nothing; nil for a process without evidence.
    package func proved(_ epoch: LogEpoch, by connection: Int? = nil) {
        let resets: [@Sendable () -> Void]? = state.withLock { state in
            guard connection ?? state.connections == state.connections else { return nil }
            guard let known = state.epoch else { return [] }
            if epoch.number < known.number {
                let fault = EvidenceFault.earlierEpoch(head: epoch.number, signed: known.number, .process)
                state.status = .contradicted(fault)
                return nil
            }
            return known.number == epoch.number ? [] : state.resets
        }
        guard let resets else { return }
        for reset in resets { reset() }
        state.withLock { state in
            guard connection ?? state.connections == state.connections else { return }
            state.status = .proven(epoch)
            state.epoch = epoch
        }
    }

    package func contradict(_ fault: EvidenceFault) { state.withLock { $0.status = .contradicted(fault) } }

    /// The writer has a new connection: to another server perhaps, or to a restored database. A proven log is compared
    /// with its evidence again before anything is appended, if there is something to compare it with.
    package func connectionChanged() {
        // First, so that no comparison counts that reads from the server which the writer has left.
        for renew in state.withLock(\.renewals) { renew() }
        connectionLost()
    }

    /// The writer has lost its connection, and has no other one yet.
    func connectionLost() {
        state.withLock { state in
            guard state.prove != nil else { return }
            state.connections += 1
            guard case .proven = state.status else { return }
            state.status = .unproven(ProofObstacle(.notCompared, "the connection to the database has changed"))
        }
    }

    /// The log must be compared with its evidence before anything is appended.
    ///
    /// - Parameter isNew: The log is in a new epoch. Without one, a contradiction stays.
    package func leaveUnproven(_ obstacle: ProofObstacle, inNewEpoch isNew: Bool = false) {
        state.withLock { state in
            if case .contradicted = state.status, !isNew { return }
            state.status = .unproven(obstacle)
        }
    }
}
