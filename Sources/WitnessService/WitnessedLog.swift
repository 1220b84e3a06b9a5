package import Canonical
internal import Dispatch
package import Logging
package import Merkle
import Synchronization

/// One log that a witness serves: its keys, and the newest checkpoint that was cosigned, on disk and in memory.
///
/// The log's file has the newest checkpoint as a note with the signatures of the log and of the witness. The last one
/// of each earlier epoch is kept in another file.
package final class WitnessedLog: Sendable {
    /// Why a submission is refused.
    package enum Refusal: Error, Hashable, Sendable {
        case malformed
        case unknownOrigin
        case untrusted
        case judged(WitnessedTree.Refusal)
    }

    package let origin: String
    private let keys: [NoteVerifierKey]
    private let cosigners: [CosigningKey]
    private let directory: WitnessDirectory
    private let clock: any WallClock
    private let logger: Logger
    // One submission at a time, on a thread that may block.
    private let queue: DispatchQueue
    private let newest: Mutex<SignedNote?>
    private let file: String

    /// Reads what was cosigned before. Blocks.
    ///
    /// - Parameters:
    ///   - keys: The keys of the log, which have the log's origin as their name.
    ///   - cosigners: The witness's keys, at least one.
    /// - Throws: `WitnessDirectory.Failure`, also if the log's file is not what a witness has written.
    package init(
        origin: String,
        keys: [NoteVerifierKey],
        cosigners: [CosigningKey],
        directory: WitnessDirectory,
        clock: any WallClock,
        logger: Logger
    ) throws {
        self.origin = origin
        self.keys = keys
        self.cosigners = cosigners
        self.directory = directory
        self.clock = clock
        self.logger = logger
        queue = DispatchQueue(label: "daybook.witnessed-log")
        let name = Self.fileName(origin)
        guard name.utf8.count <= 200 else {
            throw WitnessDirectory.Failure(description: "the origin \(origin) is too long")
        }
        file = name
        let stored = try directory.read(Self.note(name)).map { bytes in
            guard let note = try? SignedNote(bytes), let checkpoint = try? Checkpoint(text: note.text),
                Array(checkpoint.origin.utf8) == Array(origin.utf8), Self.isSound(note, keys, cosigners)
            else {
                throw WitnessDirectory.Failure(
                    description: """
                        \(directory.path)/\(Self.note(name)) is not a checkpoint of this log. Restore it: without it, \
                        the witness would accept any log
                        """
                )
            }
            return note
        }
        newest = Mutex(stored)
    }

    /// Whether a key of the log or of the witness has signed the note.
    private static func isSound(_ note: SignedNote, _ keys: [NoteVerifierKey], _ cosigners: [CosigningKey]) -> Bool {
        if (try? note.verify(with: keys)) != nil { return true }
        return note.signatures.contains { signature in
            cosigners.contains { (try? $0.cosignerKey.time(of: signature, on: note.text)) ?? nil != nil }
        }
    }

    /// Cosigns a checkpoint that continues the log. The checkpoint is on disk when this returns.
    ///
    /// - Returns: One cosignature for each key of the witness.
    /// - Throws: `Refusal`; `WitnessDirectory.Failure`; `CryptoKitError`.
    package func cosign(_ submission: CheckpointSubmission) async throws -> [NoteSignature] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try self.step(submission) }) }
        }
    }

    private func step(_ submission: CheckpointSubmission) throws -> [NoteSignature] {
        let note = submission.note
        let checkpoint = try checked(note)
        let known = newest.withLock { $0 }
        // What is stored was read as a checkpoint before.
        let tree = WitnessedTree(try known.map { try Checkpoint(text: $0.text) })
        let step: WitnessedTree.Step
        do throws(WitnessedTree.Refusal) {
            step = try tree.judge(checkpoint, old: submission.old, proof: submission.proof)
        } catch {
            report(error, checkpoint, tree)
            throw Refusal.judged(error)
        }
        let seconds = max(0, clock.now().microsecondsSince1970 / 1_000_000)
        let cosignatures = try cosigners.map { try $0.signature(for: note.text, at: seconds) }
        if step == .newEpoch, let known, let before = tree.newest {
            try directory.write(Array(known.encoded.utf8), to: Self.note("\(file).epoch-\(before.epoch)"))
        }
        if step != .same {
            let signatures = note.signatures.filter { signature in keys.contains { $0.isNamed(by: signature) } }
            let kept = note.with(signatures + cosignatures)
            try directory.write(Array(kept.encoded.utf8), to: Self.note(file))
            newest.withLock { $0 = kept }
        }
        if step == .newEpoch {
            logger.warning(
                "the log was adopted and begins a new tree",
                metadata: Self.metadata(checkpoint, tree)
            )
        }
        return cosignatures
    }

    private func checked(_ note: SignedNote) throws(Refusal) -> Checkpoint {
        do throws(NoteError) {
            return try Checkpoint(note, signedBy: keys)
        } catch {
            throw error == .malformed ? .malformed : .untrusted
        }
    }

    private func report(_ refusal: WitnessedTree.Refusal, _ checkpoint: Checkpoint, _ tree: WitnessedTree) {
        switch refusal {
        case .invalidProof:
            logger.error("the log does not continue its tree", metadata: Self.metadata(checkpoint, tree))
        case .conflict where checkpoint.epoch < tree.newest?.epoch ?? 0:
            logger.error("the log is in an earlier epoch", metadata: Self.metadata(checkpoint, tree))
        case .conflict(let size) where size == checkpoint.size && checkpoint.root != tree.newest?.root ?? .empty:
            logger.error("the log has another root of the same size", metadata: Self.metadata(checkpoint, tree))
        case .conflict, .oldSizeBeyondCheckpoint: break
        }
    }

    private static func metadata(_ checkpoint: Checkpoint, _ tree: WitnessedTree) -> Logger.Metadata {
        [
            "origin": "\(checkpoint.origin)", "epoch": "\(checkpoint.epoch)", "size": "\(checkpoint.size)",
            "root": "\(checkpoint.root)", "known_epoch": "\(tree.newest?.epoch ?? 0)",
            "known_size": "\(tree.newest?.size ?? 0)", "known_root": "\(tree.newest?.root ?? .empty)",
        ]
    }

    private static func note(_ name: String) -> String { name + ".note" }

    /// The origin with everything but letters, digits, hyphens and underscores, and dots within, as `%` and two digits.
    static func fileName(_ origin: String) -> String {
        var name = ""
        for byte in origin.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                name.unicodeScalars.append(Unicode.Scalar(byte))
            case UInt8(ascii: ".") where !name.isEmpty: name += "."
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                name += "%" + (digits.count < 2 ? "0" : "") + digits
            }
        }
        return name
    }
}
