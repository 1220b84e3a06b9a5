import Testing

/// No target shares its name with a type: a qualified name would find the type and not the module.
enum TargetNames {
    private static let declarations: Set = ["actor", "class", "enum", "protocol", "struct", "typealias"]

    static func findings(in repository: Repository) -> [Finding] {
        let targets = Set(repository.manifest.targets.map(\.name))
        return repository.swiftFiles.flatMap { file in
            file.words.indices.dropLast().compactMap { index in
                let name = file.words[index + 1]
                guard file.words[index].kind == .code, name.kind == .code, targets.contains(name.text),
                    declarations.contains(file.words[index].text)
                else { return nil }
                return Finding(file.path, name.line, "the type `\(name.text)` has the name of a target")
            }
        }
    }
}

@Suite struct TargetNamesTests {
    @Test func noTypeHasTheNameOfATarget() async throws {
        expectNone(TargetNames.findings(in: try await .ours()))
    }

    @Test func findsATypeWithTheNameOfATarget() {
        let repository = Repository(
            [
                "Sources/Payments/Money.swift":
                    "/// class Intake\npackage struct Intake: Sendable {}\nlet intake = Intake()\n"
            ],
            manifest: Manifest([
                .init(name: "Intake", kind: .regular, folder: "Sources/Intake", dependencies: [])
            ])
        )
        #expect(
            TargetNames.findings(in: repository)
                == [Finding("Sources/Payments/Money.swift", 2, "the type `Intake` has the name of a target")]
        )
    }
}
