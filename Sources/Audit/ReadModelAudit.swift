package import EventLog
package import Postgres
package import Projections

/// Compares every read model with the fold of the events, and the money of payments with that of batches.
package struct ReadModelAudit: Sendable {
    private let pool: PostgresPool
    private let reader: EventReader
    private let readModels: ReadModels

    package init(readModels: ReadModels, pool: PostgresPool, reader: EventReader) {
        self.readModels = readModels
        self.pool = pool
        self.reader = reader
    }

    /// - Parameter progress: Receives the read model's name, and how many of how many events have been applied.
    /// - Throws: `PostgresError`.
    package func run(
        progress: @escaping @Sendable (_ name: String, _ applied: Int64, _ of: Int64) -> Void = { _, _, _ in }
    ) async throws -> FaultLog {
        var faults = FaultLog()
        let current = try await readModels.positions()
        for projection in readModels.projections {
            let name = projection.name
            if let model = current.first(where: { $0.name == name }), let fault = model.fault {
                faults.add(.readModel, at: model.faultPosition ?? model.position + 1, "\(name) has halted: \(fault)")
            }
            let rebuild = ProjectionRebuild(projection: projection, pool: pool, reader: reader)
            do {
                let comparison = try await rebuild.compare { progress(name, $0, $1) }
                report(comparison, to: &faults)
            } catch let error as UnappliedEvent {
                faults.add(.readModel, at: error.position, "\(name) cannot take the event in: \(error.reason)")
            } catch let error as GapInLog {
                faults.add(.readModel, at: error.expected, "\(name) cannot be compared: the event is missing")
            }
        }
        // If a server follows the log meanwhile, both models will sooner or later be at the same position.
        for _ in 0..<20 {
            guard let breaches = try await MoneyIdentity(pool: pool).breaches() else { continue }
            for breach in breaches { faults.add(.readModel, at: breach.position, breach.detail) }
            break
        }
        return faults
    }

    private func report(_ comparison: ProjectionRebuild.Comparison, to faults: inout FaultLog) {
        let name = comparison.name
        switch comparison.outcome {
        case .notInstalled: break
        case .compared(let position):
            for row in comparison.differences {
                let what =
                    switch row.kind {
                    case .missing: "is missing"
                    case .extra: "does not come from any event"
                    case .changed: "differs from the fold of the events"
                    }
                faults.add(.readModel, at: row.position ?? position, "\(name): \(row.table) (\(row.key)) \(what)")
            }
            if comparison.isCutOff { faults.add(.readModel, at: position, "\(name): more rows differ") }
        case .otherRules(let version):
            faults.add(.readModel, at: 1, "\(name) was made by rules of version \(version): `daybook rebuild \(name)`")
        case .ahead(let position, let head):
            faults.add(
                .readModel,
                at: head + 1,
                "\(name) contains events up to \(position), the log ends at \(head)"
            )
        }
    }
}
