internal import Dispatch
package import Merkle

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file of signed notes outside the database, so that restoring the database cannot undo what was signed.
///
/// Notes follow one another, each ended by an empty line. Several processes may append to one file.
package final class WitnessFile: Sendable {
    /// The file could not be read or written, or lacks what it must have.
    package struct Failure: ProofFailure, Hashable, CustomStringConvertible {
        package var obstacle: ProofObstacle

        init(_ obstacle: ProofObstacle) { self.obstacle = obstacle }

        /// - Parameter description: The attempted operation, and why it failed.
        init(description: String) { self.init(ProofObstacle(.witnessFileUnusable, description)) }

        package var description: String { obstacle.found }
    }

    package let path: String
    // Blocking disk operations need a thread outside the cooperative pool.
    private let queue = DispatchQueue(label: "daybook.witness-file")
    /// Larger than any note.
    private static let tailBytes = 1 << 16

    package init(path: String) {
        self.path = path
    }

    /// The last complete note; nil when there is none.
    ///
    /// - Throws: `Failure`, also when the file does not hold notes.
    package func last() async throws -> SignedNote? {
        try await blocking { path in
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else {
                if errno == ENOENT { return nil }
                throw Self.failure("open", path)
            }
            defer { close(descriptor) }
            return try Self.tail(of: descriptor, path).note
        }
    }

    /// Appends the note of a checkpoint, and returns when it is on disk. Does nothing if another process has already
    /// appended a note of a later epoch, or of that epoch and that size or more. Removes the remains of an interrupted
    /// append.
    ///
    /// - Parameter isCosigned: The note has more signatures than the one of the same size that was appended before.
    /// - Throws: `Failure`; the file is then as before.
    package func append(_ note: String, size: Int64, epoch: Int64 = 0, isCosigned: Bool = false) async throws {
        try await blocking { path in
            let isNew = access(path, F_OK) != 0
            let descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
            guard descriptor >= 0 else { throw Self.failure("open", path) }
            defer { close(descriptor) }
            while flock(descriptor, LOCK_EX) != 0 {
                guard errno == EINTR else { throw Self.failure("lock", path) }
            }
            let (last, end) = try Self.tail(of: descriptor, path)
            if let last, let checkpoint = try? Checkpoint(text: last.text) {
                let (known, new) = ((checkpoint.epoch, checkpoint.size), (epoch, size))
                let isMore = isCosigned && (try? SignedNote(note.utf8)).map { Self.adds($0, to: last) } ?? false
                guard isMore ? known <= new : known < new else { return }
            }
            if lseek(descriptor, 0, SEEK_END) != end, ftruncate(descriptor, end) != 0 {
                throw Self.failure("mend", path)
            }
            guard Self.writeAll(Array((note + "\n").utf8), to: descriptor), fsync(descriptor) == 0 else {
                let failure = Self.failure("write to", path)
                _ = ftruncate(descriptor, end)
                throw failure
            }
            if isNew { try Self.syncDirectory(of: path) }
        }
    }

    /// Reads every note of a file, first to last, in constant memory. Blocks, so do not call it on the cooperative
    /// pool.
    ///
    /// - Parameter body: Called with each note, or with the error of a malformed one; the remains of an interrupted
    ///   append at the end are skipped.
    /// - Throws: `Failure`, and the errors of `body`.
    package static func read(_ path: String, _ body: (Result<SignedNote, NoteError>) throws -> Void) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var pending: [UInt8] = []
        var offset: off_t = 0
        while true {
            let chunk = try bytes(of: descriptor, from: offset, count: tailBytes, path)
            guard !chunk.isEmpty else { return }
            offset += off_t(chunk.count)
            pending += chunk
            let notes = wholeNotes(in: pending)
            for range in notes { try body(Result { () throws(NoteError) in try SignedNote(pending[range]) }) }
            if let last = notes.last { pending.removeFirst(last.upperBound + 1) }
            guard pending.count <= 2 * tailBytes else { throw Failure(description: "\(path) does not hold notes") }
        }
    }

    /// Whether a note has signatures that another one of the same text lacks.
    private static func adds(_ note: SignedNote, to other: SignedNote) -> Bool {
        note.text != other.text || !Set(note.signatures.map(\.keyID)).isSubset(of: other.signatures.map(\.keyID))
    }

    private func blocking<Result: Sendable>(
        _ body: @escaping @Sendable (_ path: String) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [path] in continuation.resume(with: Swift.Result { try body(path) }) }
        }
    }

    /// The last complete note, and the offset where it and the empty line after it end.
    private static func tail(of descriptor: CInt, _ path: String) throws -> (note: SignedNote?, end: off_t) {
        let size = lseek(descriptor, 0, SEEK_END)
        guard size >= 0 else { throw failure("read", path) }
        let start = max(0, size - off_t(tailBytes))
        let bytes = try bytes(of: descriptor, from: start, count: tailBytes, path)
        guard let range = wholeNotes(in: bytes).last else {
            guard start == 0, bytes.count < 4096 else { throw Failure(description: "\(path) does not hold notes") }
            return (nil, 0)
        }
        guard let note = try? SignedNote(bytes[range]) else {
            throw Failure(description: "\(path) does not end with a note")
        }
        return (note, start + off_t(range.upperBound) + 1)
    }

    /// The ranges of the notes that are followed by an empty line. The first one may begin before the bytes do.
    private static func wholeNotes(in bytes: [UInt8]) -> [Range<Int>] {
        let newline = UInt8(ascii: "\n")
        let signature = Array("— ".utf8)
        var notes: [Range<Int>] = []
        var (note, part) = (0, 0)
        for index in bytes.indices.dropLast() where bytes[index] == newline && bytes[index + 1] == newline {
            guard index >= part else { continue }
            // Signatures end a note; the note's text is followed by an empty line, too.
            if bytes[part...].starts(with: signature), part > note {
                notes.append(note..<index + 1)
                note = index + 2
            }
            part = index + 2
        }
        return notes
    }

    private static func bytes(
        of descriptor: CInt,
        from offset: off_t,
        count: Int,
        _ path: String
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let chunk = try [UInt8](unsafeUninitializedCapacity: count - bytes.count) { buffer, filled in
                let read = pread(descriptor, buffer.baseAddress, buffer.count, offset + off_t(bytes.count))
                guard read >= 0 else { throw failure("read", path) }
                filled = read
            }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return bytes
    }

    private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno != EINTR { return false }
            rest = rest.dropFirst(max(0, count))
        }
        return true
    }

    private static func syncDirectory(of path: String) throws {
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", directory) }
    }

    private static func failure(_ action: String, _ path: String) -> Failure {
        Failure(description: "could not \(action) \(path): \(String(cString: strerror(errno)))")
    }
}
