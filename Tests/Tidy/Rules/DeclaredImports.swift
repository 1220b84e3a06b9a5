import Testing

/// A target declares exactly the modules that its files import. SwiftPM accepts a module that is only reached through
/// another dependency, and dependencies that no file imports.
enum DeclaredImports {
    static let ofToolchain: Set = [
        "Darwin", "Dispatch", "Foundation", "FoundationEssentials", "FoundationNetworking", "FoundationXML", "Glibc",
        "Musl",
        "PackageDescription", "PackagePlugin", "Synchronization", "Testing",
    ]
    /// Modules of products with another name.
    static let products = ["UnixSignals": "ServiceLifecycle"]

    static func findings(in repository: Repository) -> [Finding] {
        repository.manifest.targets.filter { $0.kind != .system }.flatMap { target in
            undeclared(of: target, in: repository) + unused(of: target, in: repository)
        }
    }

    private static func undeclared(of target: Manifest.Target, in repository: Repository) -> [Finding] {
        let declared = Set(target.dependencies)
        return repository.files(of: target).flatMap { file in
            file.imports.compactMap { word in
                let name = products[word.text] ?? word.text
                guard !ofToolchain.contains(name), !declared.contains(name) else { return nil }
                return Finding(file.path, word.line, "\(target.name) imports \(word.text) and does not declare \(name)")
            }
        }
    }

    private static func unused(of target: Manifest.Target, in repository: Repository) -> [Finding] {
        let imported = Set(
            repository.files(of: target).flatMap { $0.imports.map { products[$0.text] ?? $0.text } }
        )
        return target.dependencies.compactMap { name in
            // A program is a dependency so that it is built.
            guard !imported.contains(name), repository.manifest.target(named: name)?.kind != .executable else {
                return nil
            }
            return Finding(
                "Package.swift",
                repository.manifest.line(of: target),
                "\(target.name) declares \(name) and never imports it"
            )
        }
    }
}

@Suite struct DeclaredImportsTests {
    @Test func everyImportIsDeclaredAndEveryDependencyImported() async throws {
        expectNone(DeclaredImports.findings(in: try await .ours()))
    }

    private static let manifest = Manifest(
        [
            .init(name: "Merkle", kind: .regular, folder: "Sources/Merkle", dependencies: ["Crypto"]),
            .init(name: "daybook", kind: .executable, folder: "Sources/daybook", dependencies: ["Merkle"]),
            .init(name: "SystemTests", kind: .test, folder: "Tests/SystemTests", dependencies: ["daybook"]),
        ],
        packageSwift: """
            products: [.executable(name: "daybook")],
                targets: [
                    .ours("Merkle", [crypto]),
                    .executableTarget(
                        name: "daybook",
            """
    )

    private static let files = [
        "Sources/Merkle/Tree.swift": "import Crypto\nimport Foundation\n",
        "Sources/daybook/Daybook.swift": "package import Merkle\n",
        "Tests/SystemTests/DaybookTests.swift": "import Testing\n",
    ]

    @Test func findsAnImportThatIsReachedAndNotDeclared() {
        let breach = ["Sources/daybook/Keys.swift": "import Foundation\ninternal import Crypto\n"]
        let repository = Repository(Self.files.merging(breach) { $1 }, manifest: Self.manifest)
        #expect(
            DeclaredImports.findings(in: repository)
                == [Finding("Sources/daybook/Keys.swift", 2, "daybook imports Crypto and does not declare Crypto")]
        )
    }

    @Test func findsADependencyThatIsNeverImported() {
        let breach = ["Sources/daybook/Daybook.swift": "// import Merkle\n"]
        let repository = Repository(Self.files.merging(breach) { $1 }, manifest: Self.manifest)
        #expect(
            DeclaredImports.findings(in: repository)
                == [Finding("Package.swift", 5, "daybook declares Merkle and never imports it")]
        )
    }
}
