import Foundation
import Testing

/// The budget of instructions in `docs/benchmarks.md` is the one that `make cost` compares with.
@Suite struct PublishedBudgetTests {
    private struct Budget: Decodable { var stages: [String: Int] }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func theDocumentShowsTheBudget() throws {
        let file = Self.root.appending(path: "Benchmarks/budget.json")
        let budget = try JSONDecoder().decode(Budget.self, from: Data(contentsOf: file))
        let text = try String(contentsOf: Self.root.appending(path: "docs/benchmarks.md"), encoding: .utf8)
        let table = try #require(text.components(separatedBy: "| stage | instructions |\n|---|---|\n").last)
        let rows = table.split(separator: "\n", omittingEmptySubsequences: false).prefix { $0.hasPrefix("| ") }
        let shown = rows.compactMap { row in
            row.split(separator: "|").last.flatMap { Int($0.filter(\.isNumber)) }
        }
        #expect(shown.sorted() == budget.stages.values.sorted())
    }
}
