import Audit
import Foundation
import Merkle

/// The public keys of a log, named on the command line.
typealias VerifierKeys = [NoteVerifierKey]

extension [NoteVerifierKey] {
    /// - Parameter option: A key, or a file with one key per line; lines that begin with `#` are ignored. A signing key
    ///   in the file yields its public half. Nil: no keys.
    /// - Throws: `Failure` when it is neither.
    init(_ option: String?) throws {
        guard let option else {
            self = []
            return
        }
        if let key = try? NoteVerifierKey(option) {
            self = [key]
            return
        }
        let lines = try GivenFile.text(option, "key").split(separator: "\n").filter { !$0.hasPrefix("#") }
        self = try lines.map { line in
            if let key = try? NoteVerifierKey(String(line)) { return key }
            if let key = try? NoteSigningKey(String(line)) { return key.verifierKey }
            throw Failure("\(option) does not contain a key of a log.", hint: "The form of a key is name+id+base64.")
        }
        if isEmpty {
            throw Failure("\(option) does not contain a key of a log.", hint: "The form of a key is name+id+base64.")
        }
    }
}

extension [CosignerKey] {
    /// - Parameter option: A key of a witness, or a file with one key per line; lines that begin with `#` are ignored.
    /// - Throws: `Failure` when it is neither.
    init(witnessKeys option: String) throws {
        let malformed = Failure(
            "daybook.witness.key is not the key of a witness.",
            hint: "`daybook witness --show-key` prints it. The key of a log is another one."
        )
        if let key = try? CosignerKey(option) {
            self = [key]
            return
        }
        guard (try? NoteVerifierKey(option)) == nil else { throw malformed }
        let lines = try GivenFile.text(option, "witness key").split(separator: "\n").filter { !$0.hasPrefix("#") }
        let keys = lines.map { try? CosignerKey(String($0)) }
        guard !keys.isEmpty, !keys.contains(nil) else { throw malformed }
        self = keys.compactMap(\.self)
    }
}

/// A checkpoint from a file.
struct GivenCheckpoint {
    let attestation: Attestation
    /// Nil when the checkpoint is signed, or no key was given.
    let fault: LogFault?

    /// - Throws: `Failure` when the file cannot be read or is not a checkpoint.
    init(_ path: String, keys: [NoteVerifierKey]) throws {
        guard let note = try? SignedNote(try GivenFile.text(path, "checkpoint").utf8),
            let checkpoint = try? Checkpoint(text: note.text)
        else {
            throw Failure("\(path) is not a signed checkpoint.", hint: "GET /v1/log/checkpoint returns one.")
        }
        attestation = Attestation(size: checkpoint.size, root: checkpoint.root, source: .given)
        let isSigned = keys.isEmpty || (try? Checkpoint(note, signedBy: keys)) != nil
        fault = isSigned ? nil : LogFault(.signature, at: checkpoint.size, "the checkpoint is not signed by the key")
    }
}

private enum GivenFile {
    static func text(_ path: String, _ what: String) throws -> String {
        guard let data = try? Data(contentsOf: URL(filePath: path)), let text = String(data: data, encoding: .utf8)
        else { throw Failure("The \(what) \(path) cannot be read.") }
        return text
    }
}
