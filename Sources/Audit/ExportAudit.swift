package import Merkle

/// Checks a file of record lines on its own, without a database.
package struct ExportAudit: Sendable {
    package struct Report: Sendable, Hashable {
        package var count: Int64
        /// The root of the tree over the lines; nil for a part of a log.
        package var root: MerkleHash?
        package var faults: FaultLog
    }

    private let first: Int64
    private let attestation: Attestation?

    /// - Parameters:
    ///   - first: The position of the first line. A part of a log is checked only for form and order.
    ///   - attestation: The root the first lines must have.
    package init(first: Int64 = 1, attestation: Attestation? = nil) {
        self.first = first
        self.attestation = attestation
    }

    /// - Parameter progress: Receives how many of how many bytes have been read.
    /// - Throws: Why the file cannot be read: `Errno`, `LineFile.LineTooLong`.
    package func run(
        _ path: String,
        progress: (_ bytes: Int64, _ of: Int64) -> Void = { _, _ in }
    ) async throws -> Report {
        try await LineFile.with(path) { file in
            var auditor = ExportAuditor(first: first, attestation: attestation)
            try await file.pieces { piece, offset in
                piece.forEachLine { line, isEnded in
                    auditor.add(line)
                    if !isEnded { auditor.missLineFeed() }
                }
                try Task.checkCancellation()
                progress(offset, file.size)
            }
            auditor.finish()
            return Report(
                count: auditor.count,
                root: first == 1 ? auditor.frontier.root : nil,
                faults: auditor.faults
            )
        }
    }
}
