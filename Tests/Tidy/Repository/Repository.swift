import Foundation
import Testing

/// The files and the manifest that the rules judge.
struct Repository: Sendable {
    /// Texts that rules read, by path.
    let files: [TextFile]
    /// The paths of all files and folders.
    let paths: Set<String>
    let manifest: Manifest

    init(_ texts: [String: String], manifest: Manifest = Manifest([])) {
        self.init(
            files: texts.map { TextFile(path: $0, text: $1) },
            paths: texts.keys,
            manifest: manifest
        )
    }

    private init(files: [TextFile], paths: some Sequence<String>, manifest: Manifest) {
        self.files = files.sorted { $0.path < $1.path }
        self.manifest = manifest
        var all: Set<String> = []
        for path in paths {
            var path = path[...]
            while all.insert(String(path)).inserted, let slash = path.lastIndex(of: "/") { path = path[..<slash] }
        }
        self.paths = all
    }

    var swiftFiles: [TextFile] { files.filter(\.isSwift) }

    func files(of target: Manifest.Target) -> [TextFile] {
        files.filter { $0.path.hasPrefix(target.folder + "/") && manifest.target(of: $0.path)?.name == target.name }
    }
}

extension Repository {
    /// The repository that this file belongs to, read once.
    static func ours() async throws -> Repository { try await reading.value }

    private static let reading = Task { try await read(at: root) }

    /// The folder of `Package.swift`. The suite may be built from a link to its folder (`make tidy`).
    static let root = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private static let folders = [".ci", "Benchmarks", "Sources", "Tests", "docs", "ops", "schema"]
    private static let texts: Set = ["md", "mustache", "sql", "swift", "yaml"]

    private static func read(at root: URL) async throws -> Repository {
        async let manifest = Manifest.read(at: root)
        let paths = try paths(at: root)
        let files = try await withThrowingTaskGroup { group in
            for path in paths where texts.contains(URL(filePath: path).pathExtension) {
                group.addTask {
                    let data = try Data(contentsOf: root.appending(path: path))
                    return TextFile(path: path, text: String(decoding: data, as: UTF8.self))
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        return Repository(files: files, paths: paths, manifest: try await manifest)
    }

    /// Walks the folders of the repository, so that no build product is among them and no Git is needed.
    private static func paths(at root: URL) throws -> [String] {
        var paths = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root.appending(path: name).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
        for folder in folders {
            for path in try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path) {
                paths.append("\(folder)/\(path)")
            }
        }
        return paths.filter { !$0.hasSuffix(".DS_Store") }
    }
}

/// A breach of a rule.
struct Finding: Hashable, CustomStringConvertible {
    let path: String
    /// From 1.
    let line: Int
    let message: String

    init(_ path: String, _ line: Int, _ message: String) {
        self.path = path
        self.line = line
        self.message = message
    }

    var description: String { "\(path):\(line): \(message)" }
}

/// Records an issue for each finding, so that each names its place.
func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
    for finding in findings.prefix(100) { Issue.record("\(finding)", sourceLocation: sourceLocation) }
    if findings.count > 100 { Issue.record("and \(findings.count - 100) more", sourceLocation: sourceLocation) }
}
