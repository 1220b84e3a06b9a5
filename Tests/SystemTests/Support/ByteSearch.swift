import DaybookTestKit
import Foundation

/// Searches for texts in the bytes of any files: as ASCII, as UTF-16 in both byte orders and, if a text is a number,
/// with separated digits.
struct ByteSearch {
    private let patterns: String
    private let expressions: String
    private let directory: TemporaryDirectory

    init(for needles: [String]) async throws {
        directory = try TemporaryDirectory(prefix: "dbk-find")
        patterns = directory.path + "/patterns"
        expressions = directory.path + "/expressions"
        var bytes: [UInt8] = []
        var separated: [String] = []
        for needle in needles {
            let units = Array(needle.utf16)
            bytes += Array(needle.utf8) + [0x0A]
            bytes += units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] } + [0x0A]
            bytes += units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0x0A]
            if needle.allSatisfy(\.isNumber) {
                separated.append(needle.map(String.init).joined(separator: "[^0-9A-Za-z*]{0,2}"))
            }
        }
        try Data(bytes).write(to: URL(filePath: patterns))
        try Data((separated.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: expressions))
    }

    /// The matches in the files below a path, as `file:text`, without duplicates.
    ///
    /// - Throws: `TestKitError` when a file cannot be read: a file that was not searched may contain anything.
    func matches(below path: String) async throws -> Set<String> {
        var found: Set<String> = []
        for arguments in [["-F", "-f", patterns], ["-E", "-f", expressions]] {
            let result = try await ChildProgram.run(
                "/usr/bin/env",
                ["LC_ALL=C", "grep", "--recursive", "--text", "--only-matching"] + arguments + ["--", path]
            )
            // Exit status 1 means that nothing was found.
            guard result.exitCode == 0 || result.exitCode == 1 else { throw TestKitError(result.standardError) }
            found.formUnion(result.standardOutput.split(separator: "\n").map(String.init))
        }
        return found
    }

    func remove() async throws { try await directory.remove() }
}
