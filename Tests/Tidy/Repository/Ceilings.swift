import Foundation
import Testing

/// Breaches of today that may only become fewer. `make tidy-ceilings` rewrites `Tests/Tidy/ceilings.json`.
struct Ceilings: Sendable, Codable, Equatable {
    /// The lines of long files, by path.
    var fileLines: [String: Int] = [:]
    /// The number of uses of a word or phrase: by folder, then by word.
    var words: [String: [String: Int]] = [:]
    /// The number of types with a banned suffix: by folder, then by suffix.
    var typeNames: [String: [String: Int]] = [:]
    /// The number of `switch`es over vendors with a `default`, by path.
    var vendorSwitches: [String: Int] = [:]
    /// The number of sleeps in tests, by folder.
    var sleeps: [String: Int] = [:]
}

extension Ceilings {
    static let path = "Tests/Tidy/ceilings.json"

    /// The ceilings of the repository. Rewritten when `DAYBOOK_WRITE_TIDY` is set.
    static func ours() async throws -> Ceilings { try await reading.value }

    private static let reading = Task {
        let file = Repository.root.appending(path: path)
        if ProcessInfo.processInfo.environment["DAYBOOK_WRITE_TIDY"] != nil {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            try (encoder.encode(Ceilings(of: try await Repository.ours())) + Data("\n".utf8)).write(to: file)
        }
        return try JSONDecoder().decode(Ceilings.self, from: Data(contentsOf: file))
    }

    /// The counts of a repository.
    init(of repository: Repository) {
        fileLines = FileLength.ceilings(of: repository)
        words = PlainWords.counts(in: repository)
        typeNames = TypeNames.counts(in: repository)
        vendorSwitches = VendorSwitches.counts(in: repository)
        sleeps = SleepingTests.counts(in: repository)
    }
}

/// Every place in a folder where a ceiling is exceeded, and how many there may be.
func excess(_ places: [Place], over ceilings: [String: [String: Int]]) -> [Finding] {
    Dictionary(grouping: places) { [$0.area, $0.name] }.values.flatMap { places -> [Finding] in
        let ceiling = ceilings[places[0].area]?[places[0].name] ?? 0
        guard places.count > ceiling else { return [] }
        // Which of them are new is unknown unless none was there before.
        guard ceiling > 0 else { return places.map { Finding($0.path, $0.line, $0.message) } }
        let last = places[places.count - 1]
        let count = "\(places.count) in \(last.area), at most \(ceiling)"
        return [Finding(last.path, last.line, "\(last.message) (\(count); this is the last)")]
    }
    .sorted { ($0.path, $0.line) < ($1.path, $1.line) }
}

/// A place that is counted by folder and name.
struct Place {
    let area: String
    let name: String
    let path: String
    let line: Int
    let message: String
}

extension [Place] {
    var counts: [String: [String: Int]] {
        reduce(into: [:]) { $0[$1.area, default: [:]][$1.name, default: 0] += 1 }
    }
}

@Suite struct CeilingTests {
    @Test func ceilingsCanBeRead() async throws { _ = try await Ceilings.ours() }

    @Test func exceedingACeilingIsOneFinding() {
        let places = [1, 2, 3].map { Place(area: "docs", name: "x", path: "docs/a.md", line: $0, message: "x") }
        #expect(excess(places, over: ["docs": ["x": 3]]) == [])
        #expect(
            excess(places, over: ["docs": ["x": 2]])
                == [Finding("docs/a.md", 3, "x (3 in docs, at most 2; this is the last)")]
        )
        #expect(excess(places, over: [:]).map(\.line) == [1, 2, 3])
    }
}
