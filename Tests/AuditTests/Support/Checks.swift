import Audit
import DaybookTestKit
import EventLog
import Foundation
import Merkle
import Testing

enum Check {
    /// The root directory of the repository.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The faults that the auditor finds in an export.
    static func faults(of text: String, first: Int64 = 1, _ attestation: Attestation? = nil) -> [LogFault] {
        var auditor = ExportAuditor(first: first, attestation: attestation)
        Array(text.utf8).forEachLine { line, isEnded in
            auditor.add(line)
            if !isEnded { auditor.missLineFeed() }
        }
        auditor.finish()
        return auditor.faults.faults
    }

    /// The root over the lines.
    static func root(of lines: [String]) -> MerkleHash {
        var frontier = MerkleFrontier()
        for line in lines { frontier.append(MerkleHash(leaf: Array(line.utf8))) }
        return frontier.root
    }

    /// A checkpoint of these lines.
    static func checkpoint(of lines: [String], signedBy key: NoteSigningKey) throws -> String {
        let checkpoint = Checkpoint(
            origin: key.name.description,
            size: Int64(lines.count),
            root: root(of: lines)
        )
        return try checkpoint.signed(by: [key]).encoded
    }

    /// The result of ops/verify-export for an export: its exit code and its output.
    static func python(
        _ text: String,
        checkpoint: String? = nil,
        key: String? = nil,
        witnessKey: String? = nil,
        first: Int64 = 1
    ) async throws -> (exitCode: Int32?, output: String) {
        let directory = try TemporaryDirectory(prefix: "dbk-export")
        let file = directory.path + "/log.ndjson"
        try Data(text.utf8).write(to: URL(filePath: file))
        var arguments = [root.appending(path: "ops/verify-export").path(), file]
        if let checkpoint {
            try Data(checkpoint.utf8).write(to: URL(filePath: directory.path + "/checkpoint"))
            arguments += ["--checkpoint", directory.path + "/checkpoint"]
        }
        if let key { arguments += ["--key", key] }
        if let witnessKey { arguments += ["--witness-key", witnessKey] }
        if first != 1 { arguments += ["--from", "\(first)"] }
        let result = try await ChildProgram.run("/usr/bin/env", ["python3"] + arguments)
        try await directory.remove()
        return (result.exitCode, result.standardOutput + result.standardError)
    }
}
