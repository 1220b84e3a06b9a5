import HTTPEdge
import Synchronization

/// Limits the number of files that are imported at a time, because each is held in memory.
package final class UploadPlaces: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    package init(_ limit: Int) {
        self.limit = limit
    }

    /// Runs `body` in one of the places.
    ///
    /// - Throws: `overloaded` if no place is free; errors of `body`.
    package func withPlace<Result>(_ body: () async throws -> Result) async throws -> Result {
        let hasPlace = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        guard hasPlace else { throw Problem.tooManyUploads }
        defer { taken.withLock { $0 -= 1 } }
        return try await body()
    }
}

extension Problem {
    static let tooManyUploads = Problem(
        status: 503,
        code: "overloaded",
        title: "Too much is waiting",
        detail: "The server imports as many files as it can hold.",
        retryable: true,
        retryAfterSeconds: 5,
        outcome: .known
    )
}
