import Testing

/// Links of documents lead somewhere, paths in backticks exist, and decisions that are named by number exist.
enum Links {
    private static let roots: Set = ["Benchmarks", "Sources", "Tests", "docs", "ops", "schema"]

    static func findings(in repository: Repository) -> [Finding] {
        let numbers = decisionNumbers(in: repository)
        let repeated = Dictionary(grouping: decisions(in: repository)) { String($0.name.prefix(4)) }.values
            .filter { $0.count > 1 }.flatMap { $0.dropFirst() }
            .map { Finding($0.path, 1, "another decision has the number \($0.name.prefix(4))") }
        return repeated
            + repository.files.flatMap { file in
                (file.isMarkdown ? links(in: file, of: repository) : []) + decisionsNamed(in: file, numbers)
            }
    }

    /// The changelog names files as they were called at the time.
    private static func links(in file: TextFile, of repository: Repository) -> [Finding] {
        var findings: [Finding] = []
        var isCode = false
        for (index, line) in file.lines.enumerated() {
            if line.hasPrefix("```") { isCode.toggle() }
            guard !isCode else { continue }
            for target in targets(in: line) where !exists(target, from: file.path, in: repository) {
                findings.append(Finding(file.path, index + 1, "the link \(target) leads nowhere"))
            }
            guard file.path != "CHANGELOG.md" else { continue }
            for path in backticked(in: line) where !repository.paths.contains(path) {
                findings.append(Finding(file.path, index + 1, "`\(path)` does not exist"))
            }
        }
        return findings
    }

    /// The relative targets of links such as `[text](target#fragment)`.
    private static func targets(in line: String) -> [String] {
        line.split(separator: "](").dropFirst().compactMap { rest in
            guard let end = rest.firstIndex(of: ")") else { return nil }
            let target = rest[..<end].prefix { $0 != "#" && $0 != " " }
            return target.isEmpty || target.contains("://") || target.hasPrefix("mailto:") ? nil : String(target)
        }
    }

    private static func exists(_ target: String, from path: String, in repository: Repository) -> Bool {
        var parts = path.split(separator: "/").dropLast()
        for part in target.split(separator: "/") where part != "." {
            if part == ".." {
                guard parts.popLast() != nil else { return false }
            } else {
                parts.append(part)
            }
        }
        return parts.isEmpty || repository.paths.contains(parts.joined(separator: "/"))
    }

    /// Paths from the root such as `docs/replay.md`, without a line number. Patterns and placeholders do not count.
    private static func backticked(in line: String) -> [String] {
        let spans = line.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        return spans.compactMap { span in
            let path = span.prefix { $0 != ":" && $0 != " " }
            guard let slash = path.firstIndex(of: "/"), roots.contains(String(path[..<slash])),
                !path.contains(where: { "<>*{}$".contains($0) || $0 == "…" }), !path.contains("...")
            else { return nil }
            return path.split(separator: "/").joined(separator: "/")
        }
    }

    // MARK: Decisions

    private static func decisions(in repository: Repository) -> [(path: String, name: String)] {
        let folder = "docs/decisions/"
        return repository.files.filter { $0.path.hasPrefix(folder) && isNumber($0.stem.prefix(4)) }.map {
            ($0.path, String($0.path.dropFirst(folder.count)))
        }
    }

    private static func decisionNumbers(in repository: Repository) -> Set<String> {
        Set(decisions(in: repository).map { String($0.name.prefix(4)) })
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 4 && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }

    /// `docs/decisions/0034, 0035` names two.
    private static func decisionsNamed(in file: TextFile, _ numbers: Set<String>) -> [Finding] {
        file.words.indices.filter { file.words[$0].text == "decisions" && file.words[$0].kind == .comment }.flatMap {
            index in
            guard index > 0, file.words[index - 1].text == "docs" else { return [Finding]() }
            return file.words[(index + 1)...].prefix { isNumber($0.text) }.filter { !numbers.contains($0.text) }.map {
                Finding(file.path, $0.line, "there is no decision \($0.text)")
            }
        }
    }
}

@Suite struct LinksTests {
    @Test func linksLeadSomewhere() async throws {
        expectNone(Links.findings(in: try await .ours()))
    }

    private static let files = [
        "README.md": "See [the log](docs/log.md#form), `docs/log.md`, [why](docs/decisions) and `Sources/<Vendor>/`.\n",
        "docs/log.md": "[Back](../README.md), docs/decisions/0001, `ops/verify-export FILE`\n",
        "docs/decisions/0001-log.md": "A log.\n",
        "ops/verify-export": "",
    ]

    @Test(arguments: [
        ("docs/a.md", "\n[x](log.html)\n", 2, "the link log.html leads nowhere"),
        ("docs/a.md", "In `Sources/Log/Log.swift:12`.\n", 1, "`Sources/Log/Log.swift` does not exist"),
        ("docs/a.md", "docs/decisions/0001, 0002\n", 1, "there is no decision 0002"),
        ("Sources/Log/Log.swift", "\n/// Why: docs/decisions/0003\n", 2, "there is no decision 0003"),
        ("docs/decisions/0001-other.md", "", 1, "another decision has the number 0001"),
    ])
    func findsWhatLeadsNowhere(_ path: String, _ text: String, _ line: Int, _ message: String) {
        #expect(Links.findings(in: Repository(Self.files)) == [])
        let repository = Repository(Self.files.merging([path: text]) { $1 })
        #expect(Links.findings(in: repository) == [Finding(path, line, message)])
    }
}
