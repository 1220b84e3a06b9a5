import Testing

/// SQL names the tables of a read model only in the target that owns it. The schema is `read_<model>`; the owner is
/// the target with `<model>.sql`.
enum ReadModelTables {
    private static let prefix = "read_"

    static func findings(in repository: Repository) -> [Finding] {
        let owners = owners(in: repository)
        return repository.files.filter { $0.path.hasPrefix("Sources/") }.flatMap { file -> [Finding] in
            guard let target = repository.manifest.target(of: file.path)?.name else { return [] }
            return file.words.compactMap { word in
                guard word.kind == .literal || file.path.hasSuffix(".sql"), word.text.hasPrefix(prefix),
                    let owner = owners[String(word.text.dropFirst(prefix.count))], owner != target
                else { return nil }
                return Finding(file.path, word.line, "\(target) names a table in `\(word.text)`, which \(owner) owns")
            }
        }
    }

    /// The owners of read models, by the name of the model.
    private static func owners(in repository: Repository) -> [String: String] {
        repository.files.reduce(into: [:]) { owners, file in
            guard file.path.hasPrefix("Sources/"), file.path.hasSuffix(".sql"),
                let target = repository.manifest.target(of: file.path)
            else { return }
            owners[file.stem] = target.name
        }
    }
}

@Suite struct ReadModelTablesTests {
    @Test func noTargetNamesTablesOfAnother() async throws {
        expectNone(ReadModelTables.findings(in: try await .ours()))
    }

    @Test func findsATableOfAnotherTarget() {
        let manifest = Manifest([
            .init(name: "Projections", kind: .regular, folder: "Sources/Projections", dependencies: []),
            .init(name: "Replay", kind: .regular, folder: "Sources/Replay", dependencies: ["Projections"]),
        ])
        let query = "let sql = \"\"\"\n    SELECT id FROM read_batches.members\n    \"\"\"\nlet read_batches = 1\n"
        let repository = Repository(
            [
                "Sources/Projections/Batches/batches.sql": "CREATE TABLE members ();",
                "Sources/Projections/Batches/BatchQuery.swift": query,
                "Sources/Replay/Plans/Plan.swift": query,
                "Sources/Replay/Plans/plan.sql": "SELECT * FROM read_batches.batches\n",
            ],
            manifest: manifest
        )
        let message = "Replay names a table in `read_batches`, which Projections owns"
        #expect(
            ReadModelTables.findings(in: repository) == [
                Finding("Sources/Replay/Plans/Plan.swift", 2, message),
                Finding("Sources/Replay/Plans/plan.sql", 1, message),
            ]
        )
    }
}
