import HTTPEdge
import Synchronization

/// How many files are taken in at a time: each of them is in memory as long as that takes.
package final class UploadPlaces: Sendable {
    private let limit: Int
    private let taken = Mutex(0)

    package init(_ limit: Int) {
        self.limit = limit
    }

    /// Runs `body` in a place of its own.
    ///
    /// - Throws: `overloaded` where all are taken; what `body` throws.
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
        detail: "As many files as the server holds are being taken in.",
        retryable: true,
        retryAfterSeconds: 5,
        outcome: .known
    )
}
