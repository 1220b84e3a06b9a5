import Foundation
import Testing

/// The table of `make bench` is of the present code: each row names the commit it was measured at, and few commits
/// have changed `Sources` since then.
enum BenchmarkAge {
    static let document = "docs/benchmarks.md"
    /// Commits that change `Sources`.
    static let limit = 30
    private static let remedy = "run `make bench WRITE=1`"

    /// - Parameter age: The number of commits that changed `Sources` since a commit; nil if it is not in the history.
    static func findings(in repository: Repository, age: (String) throws -> Int?) rethrows -> [Finding] {
        guard let file = repository.files.first(where: { $0.path == document }) else { return [] }
        let rows = rows(of: file)
        guard !rows.isEmpty else { return [Finding(document, 1, "there is no table of the benchmark: \(remedy)")] }
        var judged: Set<String> = []
        return try rows.compactMap { row in
            guard let commit = commit(of: row.text) else {
                return Finding(document, row.line, "the row names no commit: \(remedy)")
            }
            guard judged.insert(commit).inserted else { return nil }
            guard let age = try age(commit) else {
                return Finding(document, row.line, "the commit \(commit) is not in the history: \(remedy)")
            }
            guard age > limit else { return nil }
            let count = "\(age) commits have changed Sources since \(commit), at most \(limit)"
            return Finding(document, row.line, "\(count): \(remedy)")
        }
    }

    /// The rows between the markers, without the heading and the rule below it.
    private static func rows(of file: TextFile) -> [(line: Int, text: String)] {
        let isMarker = { (line: String) in line.hasPrefix("<!-- The table of `make bench WRITE=1` ") }
        let markers = file.lines.indices.filter { isMarker(file.lines[$0]) }
        guard markers.count == 2 else { return [] }
        let table = file.lines.indices[markers[0]..<markers[1]].filter { file.lines[$0].hasPrefix("|") }
        return table.dropFirst(2).map { ($0 + 1, file.lines[$0]) }
    }

    /// The hash in backticks at the beginning of the last cell.
    private static func commit(of row: String) -> String? {
        guard let cell = row.split(separator: "|").last?.drop(while: { $0 == " " }), cell.first == "`" else {
            return nil
        }
        let hash = cell.dropFirst().prefix { $0 != "`" }
        return hash.count >= 7 && hash.allSatisfy(\.isHexDigit) ? String(hash) : nil
    }
}

@Suite struct BenchmarkAgeTests {
    @Test func theTableIsOfThePresentCode() async throws {
        let repository = try await Repository.ours()
        guard let history = try GitHistory(at: Repository.root) else {
            print("the age of the benchmark's table is not checked: this is no Git checkout with its whole history")
            return
        }
        expectNone(try BenchmarkAge.findings(in: repository) { try history.commits(since: $0, in: "Sources") })
    }

    private static func document(_ rows: String) -> Repository {
        Repository([
            BenchmarkAge.document: """
            | a | another table |
            <!-- The table of `make bench WRITE=1` begins. -->
            | line | measured |
            |---|---|
            \(rows)
            <!-- The table of `make bench WRITE=1` ends. -->
            """
        ])
    }

    @Test(arguments: [
        ("", 1, "there is no table of the benchmark"),
        ("| a | - |", 5, "the row names no commit"),
        ("| a | `abcdef01`, 2026-01-02 |\n| b | `unknown`, 2026-01-02 |", 6, "the row names no commit"),
        ("| a | `00000000` |", 5, "the commit 00000000 is not in the history"),
        ("| a | `0123abcd` |", 5, "31 commits have changed Sources since 0123abcd, at most 30"),
        (
            "| a | `abcdef01` |\n| b | `0123abcd` |\n| c | `0123abcd` |", 6,
            "31 commits have changed Sources since 0123abcd, at most 30"
        ),
    ])
    func findsAnOldTable(_ rows: String, _ line: Int, _ message: String) {
        let ages = ["abcdef01": 30, "0123abcd": 31]
        let findings = BenchmarkAge.findings(in: Self.document(rows)) { ages[$0] }
        #expect(findings == [Finding(BenchmarkAge.document, line, message + ": run `make bench WRITE=1`")])
    }

    @Test func acceptsARecentTable() {
        #expect(BenchmarkAge.findings(in: Self.document("| a | `abcdef01`, today |")) { _ in 30 } == [])
    }
}
