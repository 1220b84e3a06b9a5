import Access
import Canonical
package import Composition
import EventLog
import Journal
import Payments
import Projections
package import Reconciliation
import Tables

extension Ledger {
    /// The read models that a report is made from.
    package static let reportModels = [
        "reconciliation", "statements", "batches", "transactions", "merchants", "journal",
    ]
    /// The longest wait of a report of the present for the slowest of them.
    private static let reportWaitLimit = Duration.seconds(1)

    /// The explanation of every cent of a scope at a moment.
    ///
    /// - Parameters:
    ///   - moment: By default now: all read models are then read at the position of the slowest, which is at most a
    ///     second behind the fastest unless one has halted. Ages are computed at the moment; for a position, at the
    ///     time its event was recorded.
    ///   - deadline: The end of the wait for read models that do not contain the moment yet.
    /// - Throws: `Refusal` with `projection-behind`; errors of reading.
    package func report(
        of tenant: String,
        _ scope: ReportScope,
        at moment: Moment? = nil,
        until deadline: ContinuousClock.Instant
    ) async throws -> ReportAnswer {
        let now = clock.now()
        var (position, time) = (Int64(0), now)
        if let moment {
            position = try await self.position(of: moment)
            for name in Self.reportModels {
                let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
                guard try await readModels.wait(for: name, toReach: position, timeout: rest) else {
                    throw Refusal.projectionBehind()
                }
            }
            time = try await self.time(of: moment, at: position) ?? now
        } else {
            position = try await presentPosition(until: deadline)
        }
        let days = try await days(.init(), merchant: scope.merchant, of: tenant, at: position)
        var report = try await reconciliation.query.report(of: tenant, scope, at: position, by: days, now: time)
        if scope.isWhole { report.suspense = try await journal.suspense(of: tenant, at: position) }
        return ReportAnswer(scope: scope, report: report, now: now, isPast: moment != nil)
    }

    /// The position that all read models of a report contain.
    private func presentPosition(until deadline: ContinuousClock.Instant) async throws -> Int64 {
        func found() async throws -> [ReadModels.Progress] {
            try await readModels.positions().filter { Self.reportModels.contains($0.name) }
        }
        let progress = try await found()
        let furthest = progress.map(\.position).max() ?? 0
        guard progress.contains(where: { $0.position < furthest }), progress.allSatisfy({ $0.fault == nil }) else {
            return progress.map(\.position).min() ?? 0
        }
        let end = min(deadline, ContinuousClock.now.advanced(by: Self.reportWaitLimit))
        for one in progress where one.position < furthest {
            let rest = max(.zero, ContinuousClock.now.duration(to: end))
            _ = try await readModels.wait(for: one.name, toReach: furthest, timeout: rest)
        }
        return try await found().map(\.position).min() ?? 0
    }

    /// The time of a moment; nil for a position before the first event.
    private func time(of moment: Moment, at position: Int64) async throws -> Timestamp? {
        if case .time(let time) = moment { return time }
        guard position > 0 else { return nil }
        return try await reader.events(after: position - 1, limit: 1).first?.recordedAt
    }
}

extension ReportScope {
    /// Reads `from`, `to` and `merchant`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        from = try query.day("from")
        to = try query.day("to")
        merchant = try query.text("merchant")
    }
}
