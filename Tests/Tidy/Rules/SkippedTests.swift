import Testing

/// No test is disabled, skipped or expected to fail.
enum SkippedTests {
    static func findings(in repository: Repository) -> [Finding] {
        repository.swiftFiles.flatMap { file in
            file.words.compactMap { word in
                guard word.kind == .code, isSkip(word, in: file) else { return nil }
                return Finding(file.path, word.line, "`\(word.text)`: a test runs and passes, or is removed")
            }
        }
    }

    private static func isSkip(_ word: Word, in file: TextFile) -> Bool {
        switch word.text {
        case "withKnownIssue", "XCTSkip", "XCTSkipIf", "XCTSkipUnless", "XCTExpectFailure": true
        case "disabled":
            word.offset > 0 && file.code[word.offset - 1] == UInt8(ascii: ".")
                && file.code[(word.offset + word.text.utf8.count)...].first == UInt8(ascii: "(")
        default: false
        }
    }
}

@Suite struct SkippedTestsTests {
    @Test func noTestIsSkipped() async throws {
        expectNone(SkippedTests.findings(in: try await .ours()))
    }

    @Test func findsATestThatIsDisabled() {
        let text = """
            // .disabled("slow")
            let state = Button.disabled
            @Test(.disabled("slow")) func slow() {}
            @Test func broken() { withKnownIssue { #expect(false) } }
            """
        #expect(
            SkippedTests.findings(in: Repository(["Tests/MerkleTests/Tree.swift": text])) == [
                Finding("Tests/MerkleTests/Tree.swift", 3, "`disabled`: a test runs and passes, or is removed"),
                Finding("Tests/MerkleTests/Tree.swift", 4, "`withKnownIssue`: a test runs and passes, or is removed"),
            ]
        )
    }
}
