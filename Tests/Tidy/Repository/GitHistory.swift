import Foundation
import Testing

/// The commits of a checkout.
struct GitHistory {
    private let root: URL

    /// - Returns: nil outside of Git, and in a shallow clone, which lacks commits.
    init?(at root: URL) throws {
        self.root = root
        guard try git("rev-parse", "--is-shallow-repository") == "false" else { return nil }
    }

    /// The number of commits after this one that change a folder; nil if `HEAD` does not contain the commit.
    func commits(since commit: String, in folder: String) throws -> Int? {
        guard try git("merge-base", "--is-ancestor", commit, "HEAD") != nil else { return nil }
        return try git("rev-list", "--count", "\(commit)..HEAD", "--", folder).flatMap { Int($0) }
    }

    /// - Returns: nil if Git fails.
    @discardableResult
    fileprivate func git(_ arguments: String...) throws -> String? { try Self.git(arguments, at: root) }

    fileprivate static func git(_ arguments: [String], at root: URL) throws -> String? {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["git", "-C", root.path] + arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { return nil }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}

@Suite struct GitHistoryTests {
    @Test func countsCommitsThatChangeAFolder() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "daybook-tidy-\(UUID().uuidString)")
        let sources = root.appending(path: "full/Sources")
        try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        let full = root.appending(path: "full")
        func git(_ arguments: String..., at place: URL? = nil) throws -> String {
            let identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
            return try #require(try GitHistory.git(identity + arguments, at: place ?? full))
        }
        #expect(try GitHistory(at: full) == nil)
        _ = try git("init", "--quiet")
        var commits: [String] = []
        for path in ["Sources/a", "README.md", "Sources/b", "Sources/c"] {
            try Data().write(to: full.appending(path: path))
            _ = try git("add", ".")
            _ = try git("commit", "--quiet", "--message", path)
            commits.append(try git("rev-parse", "--short=8", "HEAD"))
        }
        let history = try #require(try GitHistory(at: full))
        #expect(try commits.map { try history.commits(since: $0, in: "Sources") } == [2, 2, 1, 0])
        #expect(try history.commits(since: "00000000", in: "Sources") == nil)
        _ = try git("checkout", "--quiet", commits[1])
        #expect(try history.commits(since: commits[3], in: "Sources") == nil)
        _ = try git("clone", "--quiet", "--depth", "1", "file://\(full.path)", "shallow", at: root)
        #expect(try GitHistory(at: root.appending(path: "shallow")) == nil)
    }
}
