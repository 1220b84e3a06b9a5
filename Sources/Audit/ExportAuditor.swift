import Canonical
import EventLog
package import Merkle

/// Checks an export line by line: the content of the lines, and that they give the root of a checkpoint. Pure.
package struct ExportAuditor: Sendable {
    package private(set) var frontier = MerkleFrontier()
    private var log: LogAuditor
    private let attestation: Attestation?
    private var attested: MerkleHash?
    private var ownFaults = FaultLog()

    /// - Parameters:
    ///   - first: The position of the first line. A part of a log, which does not begin at 1, is checked only for form
    ///     and order.
    ///   - attestation: The root the first lines must have. For a log that begins at 1.
    package init(first: Int64 = 1, attestation: Attestation? = nil) {
        log = LogAuditor(first: first)
        self.attestation = attestation
        if attestation?.size == 0 { attested = .empty }
    }

    package var faults: FaultLog {
        var all = log.faults
        all.add(ownFaults)
        return all
    }

    package var count: Int64 { log.count }
    package var next: Int64 { log.next }

    /// Adds the next line, without its line feed.
    package mutating func add(_ bytes: UnsafeBufferPointer<UInt8>) {
        frontier.append(MerkleHash(leaf: UnsafeRawBufferPointer(bytes)))
        if let attestation, frontier.size == attestation.size { attested = frontier.root }
        do throws(RecordLineError) {
            log.add(try RecordLine(bytes))
        } catch {
            log.add(error)
        }
    }

    /// Reports that the file ends after the last line without a line feed.
    package mutating func missLineFeed() {
        ownFaults.add(.line, at: log.next - 1, "the last line does not end in a line feed")
    }

    /// Called at the end of the file.
    package mutating func finish() {
        log.finish()
        guard let attestation else { return }
        if let attested {
            if attested != attestation.root {
                ownFaults.add(
                    .root,
                    at: attestation.size,
                    "\(attestation.source.rawValue) of \(attestation.size, "event") states another root than they give"
                )
            }
        } else {
            ownFaults.add(
                .truncated,
                at: log.next,
                "\(attestation.source.rawValue) is of \(attestation.size, "event"), the export has \(log.count)"
            )
        }
    }
}
