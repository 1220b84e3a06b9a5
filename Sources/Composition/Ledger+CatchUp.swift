import EventLog
import Projections

extension Ledger {
    /// Waits until the read models contain every event that is in the log now.
    ///
    /// - Throws: `ReadModelsBehind` when that takes more than a minute.
    package func catchUp() async throws {
        let head = try await log.reader.head()
        for projection in readModels.projections {
            guard try await readModels.wait(for: projection.name, toReach: head, timeout: .seconds(60)) else {
                throw ReadModelsBehind(name: projection.name)
            }
        }
    }

    /// Waits until every read model contains the writes that this process acknowledged so far, `waitLimit` at most.
    ///
    /// - Returns: False when one of them does not.
    package func waitForOwnWrites() async throws -> Bool {
        let position = log.appended.position
        let deadline = ContinuousClock.now.advanced(by: waitLimit)
        for projection in readModels.projections {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard try await readModels.wait(for: projection.name, toReachKnown: position, timeout: rest) else {
                return false
            }
        }
        return true
    }
}

/// A read model did not catch up with the log.
package struct ReadModelsBehind: Error, Hashable {
    package let name: String
}
