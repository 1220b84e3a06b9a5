import Testing

/// A statement of more than six lines that is always the same stands in a `.sql` file beside its user.
enum FixedSQL {
    static let limit = 6

    static func findings(in repository: Repository) -> [Finding] {
        repository.swiftFiles.filter { $0.path.hasPrefix("Sources/") }.flatMap { file in
            literals(in: file.lines).compactMap { literal in
                guard literal.count > limit, isStatement(file.lines[literal.lowerBound]),
                    !file.lines[literal].contains(where: { $0.contains(#"\("#) })
                else { return nil }
                return Finding(file.path, literal.lowerBound, "\(literal.count) lines of fixed SQL, at most \(limit)")
            }
        }
    }

    /// The lines of each multi-line literal, without its quotes.
    private static func literals(in lines: [String]) -> [Range<Int>] {
        var literals: [Range<Int>] = []
        var start: Int?
        for index in lines.indices where !lines[index].drop(while: { $0 == " " }).hasPrefix("//") {
            guard lines[index].ranges(of: quotes).count == 1 else { continue }
            if let first = start, first < index { literals.append(first..<index) }
            start = start == nil ? index + 1 : nil
        }
        return literals
    }

    private static let quotes = String(repeating: "\"", count: 3)

    private static func isStatement(_ line: String) -> Bool {
        ["ALTER", "CREATE", "DELETE", "DO", "DROP", "INSERT", "SELECT", "UPDATE", "WITH"].contains {
            line.drop { $0 == " " }.hasPrefix($0 + " ")
        }
    }
}

@Suite struct FixedSQLTests {
    @Test func longStatementsStandInFiles() async throws {
        expectNone(FixedSQL.findings(in: try await .ours()))
    }

    @Test(arguments: [(6, false, 0), (7, false, 1), (7, true, 0)])
    func findsALongStatement(lines: Int, isInterpolated: Bool, findings: Int) {
        let first = isInterpolated ? #"SELECT \(columns)"# : "SELECT id"
        let statement = ([first] + Array(repeating: "    , id", count: lines - 1)).joined(separator: "\n")
        let quotes = String(repeating: "\"", count: 3)
        let text = "let sql = \(quotes)\n\(statement)\n\(quotes)\nlet text = \(quotes)\nSelect one\n\(quotes)\n"
        #expect(FixedSQL.findings(in: Repository(["Sources/Postgres/Query.swift": text])).count == findings)
    }
}
