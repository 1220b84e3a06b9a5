import DaybookTestKit
import Statements
import Testing

/// Randomly damaged files: each is read, or refused with a place, and nothing else happens.
@Suite struct MutationTests {
    private static let count = 2000

    private static func mutant(_ bytes: [UInt8], _ random: inout SeededGenerator) -> [UInt8] {
        var mutant = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            guard !mutant.isEmpty else { break }
            let place = Int.random(in: 0..<mutant.count, using: &random)
            switch Int.random(in: 0..<9, using: &random) {
            case 0: mutant[place] = UInt8.random(in: 0...255, using: &random)
            case 1: mutant[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: mutant.remove(at: place)
            case 3: mutant.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: place)
            case 4: mutant.removeSubrange(place..<min(mutant.count, place + Int.random(in: 1...80, using: &random)))
            case 5: mutant.removeLast(mutant.count - place)
            case 6:
                let end = min(mutant.count, place + Int.random(in: 1...200, using: &random))
                mutant.insert(contentsOf: mutant[place..<end], at: place)
            case 7:
                let signs = Array("\"',;/\n\r\t<>&{}[]0123456789-+.{}JR".utf8)
                mutant[place] = signs.randomElement(using: &random) ?? 0x20
            default:
                let words = ["99999999999999999999", "-", "0000-00-00", "&x;", "<!DOCTYPE a>", "\u{0}", "é", "NaN"]
                mutant.insert(contentsOf: Array((words.randomElement(using: &random) ?? "").utf8), at: place)
            }
        }
        return mutant
    }

    @Test(arguments: Samples.all.indices)
    func damagedFilesAreReadOrRefused(_ index: Int) throws {
        let sample = Samples.all[index]
        let bytes = Array(sample.text.utf8)
        var random = SeededGenerator.forTest()
        var refused = 0
        var wrong: [String] = []
        for attempt in 0..<Self.count {
            let mutant = Self.mutant(bytes, &random)
            let height = mutant.count { $0 == 0x0A || $0 == 0x0D } + 2
            do {
                let reading = try Reading(sample.format, mutant, piece: Int.random(in: 1...4096, using: &random))
                let places = reading.lines.map(\.line) + reading.controls.map(\.line) + reading.notes.map(\.line)
                if !places.allSatisfy((1...height).contains) { wrong.append("mutant \(attempt)") }
            } catch let problem as StatementProblem {
                refused += 1
                if !(0...height).contains(problem.line) || problem.detail.isEmpty { wrong.append("\(problem)") }
            }
            if attempt.isMultiple(of: 20) { _ = StatementFormat.recognise(mutant) }
        }
        #expect(wrong.isEmpty)
        // A test in which nothing is refused would prove nothing.
        #expect(refused > Self.count / 20)
    }
}
