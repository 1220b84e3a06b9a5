import Testing

/// A line of Swift has at most 120 characters, also a comment, which the formatter does not wrap.
enum LineWidth {
    static let limit = 120

    static func findings(in repository: Repository) -> [Finding] {
        repository.swiftFiles.flatMap { file -> [Finding] in
            // Bytes are counted first, which is much faster.
            let long = file.lines.indices.filter { file.lines[$0].utf8.count > limit && file.lines[$0].count > limit }
            guard !long.isEmpty else { return [] }
            let code = file.codeLines
            return long.filter { !isUnbreakable(code[$0], file.lines[$0]) }.map {
                Finding(file.path, $0 + 1, "\(file.lines[$0].count) characters, at most \(limit)")
            }
        }
    }

    /// Whether a line is one literal, or a part of one, without interpolation: a sample of a vendor's document, for
    /// example, is kept as it was received. Brackets and commas around it do not count.
    ///
    /// - Parameter code: The line with its comments and literals overwritten by spaces.
    private static func isUnbreakable(_ code: String, _ line: String) -> Bool {
        !line.drop { $0 == " " }.hasPrefix("//") && code.allSatisfy { " ()[],:".contains($0) }
    }
}

@Suite struct LineWidthTests {
    @Test func findsALongLineOfCodeAndALongComment() {
        let wide = String(repeating: "x", count: 117)
        let text = """
            // \(wide)
            // \(wide)x
            let a = \(wide.dropLast(8))
            let a = \(wide)
            let umlauts = "\(String(repeating: "ü", count: 100))"
            """
        #expect(
            LineWidth.findings(in: Repository(["Sources/Merkle/Tree.swift": text])) == [
                Finding("Sources/Merkle/Tree.swift", 2, "121 characters, at most 120"),
                Finding("Sources/Merkle/Tree.swift", 4, "125 characters, at most 120"),
            ]
        )
    }

    @Test func aLiteralAloneOnItsLineMayBeLonger() {
        let wide = String(repeating: "x", count: 130)
        let text = """
            check(
                "\(wide)",
                #"{"a": "\(wide)"}"#
            )
            let text = \"""
                \(wide)
                \"""
            let code = a("\\(\(wide))")
            """
        #expect(LineWidth.findings(in: Repository(["Tests/MerkleTests/Tree.swift": text])).map(\.line) == [8])
    }
}
