import Foundation

/// The targets of `Package.swift`, as SwiftPM reads them.
struct Manifest: Sendable {
    struct Target: Sendable {
        enum Kind: String, Sendable, Decodable {
            case regular, executable, test, system, plugin, macro, binary
        }

        let name: String
        let kind: Kind
        /// From the root of the repository, for example `Sources/Merkle`.
        let folder: String
        /// Names of targets and of products.
        let dependencies: [String]
    }

    let targets: [Target]
    /// Lines of `Package.swift`.
    private let lines: [String]

    init(_ targets: [Target], packageSwift: String = "") {
        self.targets = targets
        lines = packageSwift.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The line of `Package.swift` that declares a target: the first one in the list of targets that names it.
    func line(of target: Target) -> Int {
        let list = lines.firstIndex { $0.hasSuffix(" targets: [") } ?? 0
        return (lines[list...].firstIndex { $0.contains("\"\(target.name)\"") } ?? list) + 1
    }

    func target(named name: String) -> Target? { targets.first { $0.name == name } }

    /// The target that a file belongs to: the one with the longest folder that holds it.
    func target(of path: String) -> Target? {
        targets.filter { path.hasPrefix($0.folder + "/") }.max { $0.folder.utf8.count < $1.folder.utf8.count }
    }

    /// Every target and product that a target reaches, however far.
    func reach(of name: String) -> Set<String> {
        var reached: Set<String> = []
        var next = target(named: name)?.dependencies ?? []
        while let name = next.popLast() {
            if reached.insert(name).inserted { next += target(named: name)?.dependencies ?? [] }
        }
        return reached
    }
}

extension Manifest {
    struct CannotBeRead: Error {
        let reason: String
    }

    /// The manifest of the package at `root`. SwiftPM works in a temporary folder, because `swift test` locks that of
    /// the package while the tests run.
    ///
    /// - Throws: When there is no `swift` on the `PATH` (or at `SWIFT`), or it refuses the manifest.
    static func read(at root: URL) throws -> Manifest {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "daybook-tidy-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: scratch) }
        let errors = scratch.appending(path: "errors")
        guard FileManager.default.createFile(atPath: errors.path, contents: nil) else {
            throw CannotBeRead(reason: "\(errors.path) cannot be written")
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [
            ProcessInfo.processInfo.environment["SWIFT"] ?? "swift", "package", "--package-path", root.path,
            "--scratch-path", scratch.path, "--manifest-cache", "none", "dump-package",
        ]
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: errors)
        try process.run()
        let json = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw CannotBeRead(reason: try String(contentsOf: errors, encoding: .utf8))
        }
        let text = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        return Manifest(try JSONDecoder().decode(Dump.self, from: json).targets.map(\.target), packageSwift: text)
    }

    /// The parts of `swift package dump-package` that are used here.
    private struct Dump: Decodable {
        struct Target: Decodable {
            let name: String
            let type: Manifest.Target.Kind
            let path: String?
            let dependencies: [Dependency]

            var target: Manifest.Target {
                let folder = path ?? (type == .test ? "Tests/\(name)" : "Sources/\(name)")
                return .init(name: name, kind: type, folder: folder, dependencies: dependencies.map(\.name))
            }
        }

        /// `{"byName": ["Canonical", null]}` or `{"product": ["Crypto", "swift-crypto", null, null]}`.
        struct Dependency: Decodable {
            let name: String

            init(from decoder: any Decoder) throws {
                let forms = try decoder.singleValueContainer().decode([String: [Part]].self)
                guard case .name(let name)? = forms.values.first?.first else {
                    throw CannotBeRead(reason: "a dependency of a target has an unknown form")
                }
                self.name = name
            }
        }

        /// A name, or a condition or nothing, which is not used here.
        enum Part: Decodable {
            case name(String), other

            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                self = (try? container.decode(String.self)).map(Part.name) ?? .other
            }
        }

        let targets: [Target]
    }
}
