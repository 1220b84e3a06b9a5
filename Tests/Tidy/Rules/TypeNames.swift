import Testing

/// A type is named for its task, not as a container.
enum TypeNames {
    static let suffixes = [
        "Common", "Desk", "Helper", "Helpers", "Manager", "Models", "New", "Standing", "Util", "Utils",
    ]
    private static let declarations: Set = ["actor", "class", "enum", "protocol", "struct", "typealias"]

    static func findings(in repository: Repository, _ ceilings: [String: [String: Int]]) -> [Finding] {
        excess(places(in: repository), over: ceilings)
    }

    static func counts(in repository: Repository) -> [String: [String: Int]] { places(in: repository).counts }

    private static func places(in repository: Repository) -> [Place] {
        repository.swiftFiles.flatMap { file in
            file.words.indices.dropLast().compactMap { index in
                let name = file.words[index + 1]
                guard file.words[index].kind == .code, name.kind == .code,
                    declarations.contains(file.words[index].text),
                    let suffix = suffixes.first(where: name.text.hasSuffix)
                else { return nil }
                let message = "the type `\(name.text)` ends with `\(suffix)`"
                return Place(area: file.area, name: suffix, path: file.path, line: name.line, message: message)
            }
        }
    }
}

@Suite struct TypeNamesTests {
    @Test func typesWithBannedSuffixesBecomeFewer() async throws {
        expectNone(TypeNames.findings(in: try await .ours(), try await Ceilings.ours().typeNames))
    }

    @Test func findsABannedSuffix() {
        let text = "struct Tree {\n    package final class NodeManager {}\n}\nlet manager = NodeManager()\n"
        #expect(
            TypeNames.findings(in: Repository(["Sources/Merkle/Tree.swift": text]), [:])
                == [Finding("Sources/Merkle/Tree.swift", 2, "the type `NodeManager` ends with `Manager`")]
        )
    }
}
