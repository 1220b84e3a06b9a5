import Testing

/// Every file is used: a Swift file declares a name that another one uses, a template is rendered or included, SQL
/// is embedded by its name.
enum DeadFiles {
    private static let types: Set = ["actor", "class", "enum", "protocol", "struct", "typealias"]
    private static let members: Set = ["case", "func", "let", "var"]

    static func findings(in repository: Repository) -> [Finding] {
        swift(in: repository) + templates(in: repository) + sql(in: repository)
    }

    private static func swift(in repository: Repository) -> [Finding] {
        let files = repository.swiftFiles
        var mentions: [String: Int] = [:]
        for file in files {
            for name in Set(file.words.lazy.filter { $0.kind == .code }.map(\.text)) { mentions[name, default: 0] += 1 }
        }
        return files.filter { $0.path != "Package.swift" && $0.stem != "main" }.compactMap { file in
            guard let declared = declarations(in: file), !declared.isEmpty,
                declared.allSatisfy({ mentions[$0.text] == 1 })
            else { return nil }
            return Finding(file.path, declared[0].line, "no other file names `\(declared[0].text)`")
        }
    }

    /// The types of a file, and the members of its extensions of others' types. Indentation is the formatter's.
    ///
    /// - Returns: `nil` when the file is used without being named: programs, tests, conformances, interpolations.
    private static func declarations(in file: TextFile) -> [Word]? {
        var names: [Word] = []
        var extended: Set<String> = []
        let lines = file.lines
        for (word, next) in zip(file.words, file.words.dropFirst()) where word.kind == .code {
            if ["main", "Suite", "Test"].contains(word.text), file.code[max(word.offset - 1, 0)] == UInt8(ascii: "@") {
                return nil
            }
            guard next.kind == .code else { continue }
            if next.text == "appendInterpolation" { return nil }
            let line = lines[word.line - 1]
            let isTopLevel = line.first != " "
            if word.text == "extension", isTopLevel {
                if line.contains(":") { return nil }
                extended.insert(next.text)
            } else if isTopLevel, types.contains(word.text) || members.contains(word.text) {
                names.append(next)
            } else if members.contains(word.text) || types.contains(word.text),
                line.hasPrefix("    "), !line.hasPrefix("     "), !extended.subtracting(names.map(\.text)).isEmpty
            {
                names.append(next)
            }
        }
        return names
    }

    private static func templates(in repository: Repository) -> [Finding] {
        let templates = repository.files.filter { $0.path.hasSuffix(".mustache") }
        let included = templates.flatMap { file in
            file.lines.flatMap { line in
                line.split(separator: "{{").compactMap { tag -> String? in
                    guard tag.first == ">" || tag.first == "<" else { return nil }
                    return String(tag.dropFirst().drop { $0 == " " }.prefix { $0.isLetter || $0.isNumber })
                }
            }
        }
        let named = repository.swiftFiles.filter { $0.path.hasPrefix("Sources/Console/") }.flatMap { file in
            file.words.filter { $0.kind == .literal && file.lines[$0.line - 1].contains("\"\($0.text)\"") }.map(\.text)
        }
        let used = Set(included).union(named)
        return templates.filter { !used.contains($0.stem) }.map {
            Finding($0.path, 1, "no Swift file and no template names `\($0.stem)`")
        }
    }

    /// The member of `EmbeddedFiles` is `name_sql` for `name.sql`; `EmbeddedFiles.all` has every file of the target.
    private static func sql(in repository: Repository) -> [Finding] {
        repository.files.filter { $0.path.hasPrefix("Sources/") && $0.path.hasSuffix(".sql") }.compactMap { file in
            let member = String(file.stem.map { $0.isLetter || $0.isNumber ? $0 : "_" }) + "_sql"
            let isUsed = repository.swiftFiles.contains { swift in
                swift.area == file.area
                    && swift.words.indices.contains { index in
                        let word = swift.words[index]
                        return word.kind == .code
                            && (word.text == member
                                || word.text == "all" && index > 0 && swift.words[index - 1].text == "EmbeddedFiles")
                    }
            }
            return isUsed ? nil : Finding(file.path, 1, "no Swift file of \(file.area) names `\(member)`")
        }
    }
}

@Suite struct DeadFilesTests {
    @Test func everyFileIsUsed() async throws {
        expectNone(DeadFiles.findings(in: try await .ours()))
    }

    private static let files = [
        "Sources/Console/Page.swift": "struct Page {\n    let text = render(\"day\", EmbeddedFiles.rows_sql)\n}\n",
        "Sources/Console/Page+Rows.swift": "extension Page {\n    var rows: Int { 1 }\n}\n",
        "Sources/Console/rows.sql": "SELECT 1\n",
        "Sources/Console/Templates/day.mustache": "{{>table}}\n",
        "Sources/Console/Templates/table.mustache": "<table>\n",
        "Sources/daybook/main.swift": "let page = Page().rows\n",
        "Tests/ConsoleTests/PageTests.swift": "@Suite struct PageTests {}\n",
    ]

    @Test(arguments: [
        (
            "Sources/Console/Cell.swift", "/// A cell.\nstruct Cell {\n    var rows = 1\n}\n", 2,
            "no other file names `Cell`"
        ),
        (
            "Sources/Console/Page+Old.swift", "extension Page {\n    var old: Int { 1 }\n}\n", 2,
            "no other file names `old`"
        ),
        ("Sources/Console/old.sql", "SELECT 2\n", 1, "no Swift file of Sources/Console names `old_sql`"),
        ("Sources/Console/Templates/old.mustache", "", 1, "no Swift file and no template names `old`"),
    ])
    func findsAFileThatNothingNames(_ path: String, _ text: String, _ line: Int, _ message: String) {
        #expect(DeadFiles.findings(in: Repository(Self.files)) == [])
        let repository = Repository(Self.files.merging([path: text]) { $1 })
        #expect(DeadFiles.findings(in: repository) == [Finding(path, line, message)])
    }
}
