import Testing

/// Comments, texts of the program and documents use the words of the field. The table is the glossary.
enum PlainWords {
    /// The replacement of each word or phrase.
    static let banned = [
        "agenda": "schedule",
        "anew": "again",
        "anybody": "any operator, user, caller",
        "asked about": "queried",
        "asked for again": "resubmitted",
        "brings to its end": "completes",
        "brought to its end": "completed",
        "by itself": "automatic, or nothing",
        "came to nothing": "failed",
        "carried out": "executed",
        "carry out": "execute",
        "comes to nothing": "fails",
        "dealt with": "acknowledged, resolved",
        "desk": "commands, handler",
        "desks": "commands, handlers",
        "dissent": "disagreement",
        "errand": "call",
        "errands": "calls",
        "everybody": "all operators, users, callers",
        "fate": "result",
        "gives up": "stops, times out",
        "how it stands": "status",
        "how it stood": "status",
        "is at it": "is running",
        "left to people": "needs review",
        "looks again": "rechecks",
        "nobody": "no user, unknown",
        "of its own": "own, automatic, or nothing",
        "of their own": "own, separate, or nothing",
        "patience": "wait limit",
        "put together": "assembled",
        "said otherwise": "conflicting record",
        "second person": "approver, another operator",
        "somebody": "operator, user",
        "standing": "status, role, balance",
        "takes in": "ingests, accepts",
        "taken back": "reversed",
        "taken in": "accepted, recorded",
        "tells": "reports",
        "the same again": "duplicate request, repeat",
        "told": "reported, received, recorded",
        "what became of": "outcome of",
        "what becomes of": "outcome of",
        "what came of": "result of",
        "whoever": "operator, user, caller",
        "worked out": "computed",
        "works out": "computes",
    ]

    static func findings(in repository: Repository, _ ceilings: [String: [String: Int]]) -> [Finding] {
        excess(places(in: repository), over: ceilings)
    }

    static func counts(in repository: Repository) -> [String: [String: Int]] { places(in: repository).counts }

    private static let phrases = Dictionary(grouping: banned.keys.map { $0.split(separator: " ").map(String.init) }) {
        $0[0]
    }

    /// Whether a banned word or phrase begins with this byte: most words need no further comparison.
    private static let beginnings: [Bool] = {
        var beginnings = [Bool](repeating: false, count: 256)
        for word in phrases.keys {
            for first in [word, word.uppercased()].compactMap(\.utf8.first) { beginnings[Int(first)] = true }
        }
        return beginnings
    }()

    /// The glossary names the words; SQL and templates are not read as words.
    private static func isProse(_ path: String) -> Bool {
        path != "docs/glossary.md" && !path.hasSuffix(".sql") && !path.hasSuffix(".mustache")
    }

    private static func places(in repository: Repository) -> [Place] {
        repository.files.filter { isProse($0.path) }.flatMap { file in
            // Texts of tests are data.
            let kinds: Set<Word.Kind> = file.path.hasPrefix("Sources/") ? [.comment, .literal] : [.comment]
            return file.words.indices.flatMap { index -> [Place] in
                let first = file.words[index]
                guard beginnings[Int(first.text.utf8.first ?? 0)], kinds.contains(first.kind),
                    let candidates = phrases[first.text.lowercased()]
                else { return [] }
                return candidates.filter { phrase in
                    let words = file.words[index...].prefix(phrase.count)
                    return words.elementsEqual(phrase) { $0.kind == first.kind && $0.text.lowercased() == $1 }
                }
                .map { phrase in
                    let name = phrase.joined(separator: " ")
                    let message = "`\(name)`: say \(banned[name] ?? "")"
                    return Place(area: file.area, name: name, path: file.path, line: first.line, message: message)
                }
            }
        }
    }
}

@Suite struct PlainWordsTests {
    @Test func bannedWordsBecomeFewer() async throws {
        expectNone(PlainWords.findings(in: try await .ours(), try await Ceilings.ours().words))
    }

    @Test func findsAWordInACommentAndInAText() {
        let text = """
            // The answer is recorded.
            /// What the gateway Told.
            let told = "told"
            """
        #expect(
            PlainWords.findings(in: Repository(["Sources/Merkle/Tree.swift": text]), [:]) == [
                Finding("Sources/Merkle/Tree.swift", 2, "`told`: say reported, received, recorded"),
                Finding("Sources/Merkle/Tree.swift", 3, "`told`: say reported, received, recorded"),
            ]
        )
    }

    @Test func textsOfTestsAreData() {
        let text = "let told = \"told\"\n"
        #expect(PlainWords.findings(in: Repository(["Tests/MerkleTests/Tree.swift": text]), [:]) == [])
    }

    @Test func findsAPhraseAcrossLines() {
        let text = "A payment that\ncame to\nnothing.\n"
        #expect(
            PlainWords.findings(in: Repository(["docs/replay.md": text]), [:])
                == [Finding("docs/replay.md", 2, "`came to nothing`: say failed")]
        )
    }
}
