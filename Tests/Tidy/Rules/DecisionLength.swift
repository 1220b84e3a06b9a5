import Testing

/// A decision has at most 400 words.
enum DecisionLength {
    static let limit = 400

    static func findings(in repository: Repository) -> [Finding] {
        let decisions = repository.files.filter { file in
            // `README.md` is their index.
            file.isMarkdown && file.path.hasPrefix("docs/decisions/") && !file.path.hasSuffix("README.md")
        }
        return decisions.compactMap { file in
            var count = 0
            for (index, line) in file.lines.enumerated() {
                let before = count
                count += line.split(whereSeparator: \.isWhitespace).count
                guard before <= limit, count > limit else { continue }
                let all =
                    count + file.lines[(index + 1)...].reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
                return Finding(file.path, index + 1, "\(all) words, at most \(limit)")
            }
            return nil
        }
    }
}

@Suite struct DecisionLengthTests {
    @Test func everyDecisionIsShort() async throws {
        expectNone(DecisionLength.findings(in: try await .ours()))
    }

    @Test func findsALongDecision() {
        let line = String(repeating: "word ", count: 100) + "\n"
        let files = [
            "docs/decisions/0001-short.md": String(repeating: line, count: 4),
            "docs/decisions/0002-long.md": String(repeating: line, count: 5),
            "docs/replay.md": String(repeating: line, count: 50),
        ]
        #expect(
            DecisionLength.findings(in: Repository(files))
                == [Finding("docs/decisions/0002-long.md", 5, "500 words, at most 400")]
        )
    }
}
