import Testing

/// A Swift file has at most 350 lines. Longer ones of today have an entry in `ceilings.json` and may only become
/// shorter.
enum FileLength {
    static let limit = 350
    /// No entry of a file in `Sources` may exceed it.
    static let limitOfEntries = 520

    static func findings(in repository: Repository, _ ceilings: [String: Int]) -> [Finding] {
        let lengths = Dictionary(uniqueKeysWithValues: repository.swiftFiles.map { ($0.path, $0.lineCount) })
        let long = lengths.compactMap { path, length -> Finding? in
            let most = ceilings[path] ?? limit
            return length > most ? Finding(path, most + 1, "\(length) lines, at most \(most)") : nil
        }
        let stale = ceilings.compactMap { path, ceiling -> Finding? in
            guard let length = lengths[path] else {
                return Finding(Ceilings.path, 1, "\(path) has an entry and does not exist: remove the entry")
            }
            if path.hasPrefix("Sources/"), ceiling > limitOfEntries {
                return Finding(Ceilings.path, 1, "the entry \(ceiling) of \(path) is over \(limitOfEntries)")
            }
            // Ten per cent are room to work in.
            guard length <= limit || length * 10 < ceiling * 9 else { return nil }
            return Finding(Ceilings.path, 1, "\(path) has \(length) lines: lower its entry \(ceiling)")
        }
        return (long + stale).sorted { ($0.path, $0.message) < ($1.path, $1.message) }
    }

    static func ceilings(of repository: Repository) -> [String: Int] {
        let long = repository.swiftFiles.filter { $0.lineCount > limit }
        return Dictionary(uniqueKeysWithValues: long.map { ($0.path, $0.lineCount) })
    }
}

@Suite struct FileLengthTests {
    @Test func noFileIsLongerThanItsCeiling() async throws {
        expectNone(FileLength.findings(in: try await .ours(), try await Ceilings.ours().fileLines))
    }

    private static func lines(_ count: Int) -> String { String(repeating: "//\n", count: count) }

    @Test func findsALongFile() {
        let repository = Repository(["Sources/A/A.swift": Self.lines(350), "Sources/A/B.swift": Self.lines(351)])
        #expect(
            FileLength.findings(in: repository, [:]) == [Finding("Sources/A/B.swift", 351, "351 lines, at most 350")]
        )
    }

    @Test func findsAFileLongerThanItsEntryAndEntriesThatAreTooHigh() {
        let texts = [
            "Sources/A/A.swift": Self.lines(401), "Sources/A/B.swift": Self.lines(359), "Sources/A/C.swift": "",
        ]
        let entries = [
            "Sources/A/A.swift": 400, "Sources/A/B.swift": 400, "Sources/A/C.swift": 360, "Sources/A/D.swift": 351,
        ]
        #expect(
            FileLength.findings(in: Repository(texts), entries) == [
                Finding("Sources/A/A.swift", 401, "401 lines, at most 400"),
                Finding(Ceilings.path, 1, "Sources/A/B.swift has 359 lines: lower its entry 400"),
                Finding(Ceilings.path, 1, "Sources/A/C.swift has 0 lines: lower its entry 360"),
                Finding(Ceilings.path, 1, "Sources/A/D.swift has an entry and does not exist: remove the entry"),
            ]
        )
    }
}
