import Testing

/// Tests wait for the expected state instead of sleeping: a sleep is too short on a busy machine and too long on any
/// other.
enum SleepingTests {
    static func findings(in repository: Repository, _ ceilings: [String: Int]) -> [Finding] {
        excess(places(in: repository), over: ceilings.mapValues { ["sleep": $0] })
    }

    static func counts(in repository: Repository) -> [String: Int] {
        places(in: repository).reduce(into: [:]) { $0[$1.area, default: 0] += 1 }
    }

    private static func places(in repository: Repository) -> [Place] {
        repository.swiftFiles.filter { $0.path.hasPrefix("Tests/") }.flatMap { file in
            file.words.indices.compactMap { index -> Place? in
                let word = file.words[index]
                guard word.kind == .code, ["nanosleep", "sleep", "usleep"].contains(word.text),
                    file.code[word.offset + word.text.utf8.count] == UInt8(ascii: "("),
                    // A clock for tests declares `func sleep(`.
                    index == 0 || file.words[index - 1].text != "func"
                else { return nil }
                return Place(area: file.area, name: "sleep", path: file.path, line: word.line, message: "a test sleeps")
            }
        }
    }
}

@Suite struct SleepingTestsTests {
    @Test func sleepsBecomeFewer() async throws {
        expectNone(SleepingTests.findings(in: try await .ours(), try await Ceilings.ours().sleeps))
    }

    @Test func findsASleep() {
        let text = """
            // Task.sleep(for: .seconds(1))
            let sql = "SELECT pg_sleep(1)"
            func sleep(until instant: Instant) async throws {}
            try await Task.sleep(for: .seconds(1))
            """
        #expect(
            SleepingTests.findings(in: Repository(["Tests/MerkleTests/Tree.swift": text]), [:])
                == [Finding("Tests/MerkleTests/Tree.swift", 4, "a test sleeps")]
        )
        #expect(SleepingTests.findings(in: Repository(["Sources/Merkle/Tree.swift": text]), [:]) == [])
    }
}
