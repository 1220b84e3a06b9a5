import DaybookTestKit
import Foundation
import FuzzTargets
import Testing

/// Documents are read as they were before reading was made faster: accepted or refused at the same place, with the same
/// canonical bytes and the same redactions.
///
/// The digests are those of the build before. `ops/same-reading` compares two builds for longer. After a rule of reading
/// was changed on purpose, `DAYBOOK_WRITE_GOLDEN=1` rewrites them and fails the test that did so.
@Suite("Reading, compared with an earlier build")
struct EarlierReadingTests {
    private static let root = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }
    private static let examples = FuzzExample.all(below: "\(root)/VendorsTests/Fixtures")
    private static let isWriting = ProcessInfo.processInfo.environment["DAYBOOK_WRITE_GOLDEN"] == "1"

    @Test("Each block of damaged documents has the same digest", arguments: Reading.all)
    func digests(reading: Reading) throws {
        let file = URL(fileURLWithPath: "\(Self.root)/FuzzingTests/Expected/\(reading.name).txt")
        let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(!expected.isEmpty)
        let inputs = reading.inputs(Self.examples)
        let found = expected.indices.map { block in
            "\(block) \(reading.digest(ofBlock: block, of: inputs, SeededGenerator(seed: UInt64(block))))"
        }
        if Self.isWriting {
            try (found.joined(separator: "\n") + "\n").write(to: file, atomically: true, encoding: .utf8)
        }
        #expect(found == expected)
    }

    @Test("A difference is noticed", arguments: Reading.all)
    func planted(reading: Reading) {
        let inputs = reading.inputs(Self.examples)
        let careless = Reading(name: reading.name, seeds: reading.seeds) { input in
            // A reader that keeps the last byte of a long input to itself.
            reading.outcome(input.count > 2_000 ? Array(input.dropLast()) : input)
        }
        let digests = [reading, careless].map { $0.digest(ofBlock: 0, of: inputs, SeededGenerator(seed: 0)) }
        #expect(digests[0] != digests[1])
    }
}
