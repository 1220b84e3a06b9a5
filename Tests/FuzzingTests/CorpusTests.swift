import DaybookTestKit
import FuzzTargets
import Testing

/// A short, repeatable run of what `make fuzz` does for longer and guided by coverage.
@Suite("Fuzzing")
struct CorpusTests {
    private static let root = #filePath.split(separator: "/").dropLast(2).reduce("") { "\($0)/\($1)" }

    private static let examples = FuzzExample.all(below: "\(root)/VendorsTests/Fixtures")

    private static func inputs(_ target: FuzzTarget) -> (kept: [[UInt8]], seeds: [[UInt8]]) {
        (FuzzExample.files(in: "\(root)/Fuzzing/Corpus/\(target.name)"), target.seeds(examples))
    }

    @Test("Every target has initial examples, and a small corpus", arguments: FuzzTarget.all)
    func corpus(target: FuzzTarget) {
        let (kept, seeds) = Self.inputs(target)
        #expect(!seeds.isEmpty)
        #expect(kept.reduce(0) { $0 + $1.count } < 256 * 1_024)
    }

    @Test("Inputs found by earlier fuzzing are read", arguments: FuzzTarget.all)
    func kept(target: FuzzTarget) {
        let (kept, seeds) = Self.inputs(target)
        for input in kept + seeds {
            #expect(target.run(input) == nil)
            // Also every prefix, as a broken connection leaves it.
            for count in stride(from: 0, to: input.count, by: max(1, input.count / 16)) {
                #expect(target.run(Array(input[..<count])) == nil)
            }
        }
    }

    @Test("Damaged inputs are read or refused", arguments: FuzzTarget.all)
    func damaged(target: FuzzTarget) {
        let (kept, seeds) = Self.inputs(target)
        let inputs = (seeds + kept).filter { $0.count <= 8_192 }
        guard !inputs.isEmpty else { return }
        var mutator = Mutator(SeededGenerator(seed: 20_260_301))
        for round in 0..<1_000 {
            let input = mutator.mutated(inputs[round % inputs.count], beside: inputs)
            if let problem = target.run(input) {
                Issue.record("\(problem): round \(round), \(String(decoding: input.prefix(200), as: UTF8.self))")
                return
            }
        }
    }
}
