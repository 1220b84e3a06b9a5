import Canonical
import Composition
import EventLog
import HTTPEdge
import Operations
import Payments
import Projections

extension API {
    /// The end of the wait of a read that begins now, for all its read models together.
    var deadline: ContinuousClock.Instant { .now.advanced(by: ledger.waitLimit) }

    /// Waits until the read models contain the position that `min_position` requests and, for an answer about one
    /// thing, every write that this server acknowledged before the request: a client reads its own writes.
    ///
    /// - Parameter isAboutOne: True if an id selects the answer. A list of many things shows what its read model
    ///   contains, so that it stays readable while the model is behind.
    /// - Throws: `projection-behind`; `other-epoch`, `position-beyond-end`.
    func waitForWrites(
        _ query: inout ParameterReader,
        in readModels: String...,
        isAboutOne: Bool = true,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        try await waitForWrites(&query, in: readModels, isAboutOne: isAboutOne, until: deadline)
    }

    func waitForWrites(
        _ query: inout ParameterReader,
        in readModels: [String],
        isAboutOne: Bool = true,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let acknowledged = isAboutOne ? ledger.appended.position : 0
        let minimum =
            if let named = try query.position("min_position") { try await ledger.known(named) } else { Int64(0) }
        let deadline = deadline ?? self.deadline
        for readModel in readModels {
            if minimum > acknowledged { try await wait(for: minimum, in: readModel, until: deadline) }
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard try await ledger.readModels.wait(for: readModel, toReachKnown: acknowledged, timeout: rest) else {
                throw Refusal.projectionBehind()
            }
        }
    }

    /// The position of a moment, once the read model contains it; nil without a moment.
    ///
    /// - Throws: `projection-behind`.
    func position(
        of moment: Moment?,
        in readModel: String,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws -> Int64? {
        guard let moment else { return nil }
        let position = try await ledger.position(of: moment)
        try await wait(for: position, in: readModel, until: deadline)
        return position
    }

    func wait(
        for position: Int64,
        in readModel: String,
        until deadline: ContinuousClock.Instant? = nil
    ) async throws {
        let rest = max(.zero, ContinuousClock.now.duration(to: deadline ?? self.deadline))
        guard try await ledger.readModels.wait(for: readModel, toReach: position, timeout: rest) else {
            throw Refusal.projectionBehind()
        }
    }
}
