import Audit
import Canonical
import EventLog
import Merkle
import Testing

/// Manipulated exports: both verifiers detect each, and report the position.
@Suite struct ExportAuditorTests {
    private static let log = SampleLog(count: 40)
    private static let key = NoteSigningKey(name: NoteKeyName("daybook.example/test")!)

    struct Forgery: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var position: Int64
        var kinds: Set<LogFault.Kind>
        var forge: @Sendable (inout [String]) -> Void
    }

    static let forgeries: [Forgery] = [
        Forgery(testDescription: "a changed byte in data", position: 40, kinds: [.root]) {
            $0[6] = $0[6].replacing("1.50", with: "1.51")
        },
        Forgery(testDescription: "a changed header member", position: 40, kinds: [.root]) {
            $0[6] = $0[6].replacing("Noted", with: "Voted")
        },
        Forgery(testDescription: "a deleted line", position: 7, kinds: [.position]) { $0.remove(at: 6) },
        Forgery(testDescription: "two swapped lines", position: 7, kinds: [.position]) { $0.swapAt(6, 7) },
        Forgery(testDescription: "a line that is there twice", position: 8, kinds: [.position]) {
            $0.insert($0[6], at: 7)
        },
        Forgery(testDescription: "a line inserted again at the end", position: 41, kinds: [.version]) { lines in
            lines.append(lines[6].replacing(#"{"position":7,"#, with: #"{"position":41,"#))
        },
        Forgery(testDescription: "a truncated tail", position: 37, kinds: [.truncated]) { $0.removeLast(4) },
        Forgery(testDescription: "an empty file", position: 1, kinds: [.truncated]) { $0 = [] },
        Forgery(testDescription: "a version left out", position: 1, kinds: [.version]) {
            $0[0] = $0[0].replacing(#""version":1,"#, with: #""version":2,"#)
        },
        Forgery(testDescription: "an earlier time", position: 10, kinds: [.time]) {
            $0[9] = $0[9].replacing(#""recordedAt":"2026"#, with: #""recordedAt":"2025"#)
        },
        Forgery(testDescription: "a space", position: 5, kinds: [.line]) {
            $0[4] = $0[4].replacing(#","data":"#, with: #", "data":"#)
        },
    ]

    @Test(arguments: forgeries) func aForgedExportIsRefused(_ forgery: Forgery) async throws {
        var lines = Self.log.lines
        let note = try Check.checkpoint(of: lines, signedBy: Self.key)
        let attestation = Attestation(size: Int64(lines.count), root: Check.root(of: lines), source: .given)
        forgery.forge(&lines)
        let text = lines.map { $0 + "\n" }.joined()
        let faults = Check.faults(of: text, attestation)
        #expect(faults.contains { $0.position == forgery.position && forgery.kinds.contains($0.kind) }, "\(faults)")

        let verdict = try await Check.python(text, checkpoint: note, key: Self.key.verifierKey.text)
        #expect(verdict.exitCode == 2)
        let named = forgery.kinds.contains { verdict.output.contains("position \(forgery.position): \($0.rawValue): ") }
        #expect(named, "\(verdict.output)")
    }

    @Test func anUntouchedExportIsAccepted() async throws {
        let lines = Self.log.lines
        let text = Self.log.text
        let attestation = Attestation(size: 33, root: Check.root(of: Array(lines[..<33])), source: .given)
        #expect(Check.faults(of: text).isEmpty)
        #expect(Check.faults(of: text, attestation).isEmpty)
        let note = try Check.checkpoint(of: Array(lines[..<33]), signedBy: Self.key)
        let verdict = try await Check.python(text, checkpoint: note, key: Self.key.verifierKey.text)
        #expect(verdict.exitCode == 0 && verdict.output.contains("nothing is wrong"), "\(verdict.output)")
        let empty = try await Check.python("")
        #expect(empty.exitCode == 0 && Check.faults(of: "").isEmpty)
    }

    @Test func aPartIsCheckedForItsFormAndOrder() async throws {
        let part = Self.log.lines[20...]
        let text = part.map { $0 + "\n" }.joined()
        #expect(Check.faults(of: text, first: 21).isEmpty)
        #expect(try await Check.python(text, first: 21).exitCode == 0)
        let gap = part.dropFirst().map { $0 + "\n" }.joined()
        #expect(Check.faults(of: gap, first: 21).first?.position == 21)
        #expect(try await Check.python(gap, first: 21).exitCode == 2)
    }

    @Test func anotherKeyOrAChangedNoteIsNoSignature() async throws {
        let note = try Check.checkpoint(of: Self.log.lines, signedBy: Self.key)
        let other = NoteSigningKey(name: Self.key.name)
        let foreign = try await Check.python(Self.log.text, checkpoint: note, key: other.verifierKey.text)
        #expect(foreign.exitCode == 2 && foreign.output.contains("position 40: signature: "))
        let fewer = try Check.checkpoint(of: Array(Self.log.lines.dropLast()), signedBy: Self.key)
        let forged = note.split(separator: "\n", omittingEmptySubsequences: false)[...4].joined(separator: "\n")
        let signature = fewer.split(separator: "\n", omittingEmptySubsequences: false)[4]
        let changed = forged.replacing(note.split(separator: "\n")[3], with: signature) + "\n"
        let verdict = try await Check.python(Self.log.text, checkpoint: changed, key: Self.key.verifierKey.text)
        #expect(verdict.exitCode == 2 && verdict.output.contains("signature"), "\(verdict.output)")
        let unreadable = try await Check.python(Self.log.text, checkpoint: "no note", key: Self.key.verifierKey.text)
        #expect(unreadable.exitCode == 1)
    }

    @Test func claimsAreWholeAndMadeOnce() async throws {
        var events = SampleLog(count: 12, seed: 3).events
        func claims(_ count: Int, _ key: UInt64) -> String? {
            Claims(
                events: count,
                idempotency: [(UUID128(high: 1, low: key), [UInt8](repeating: 1, count: 32))],
                references: ["name \(key)"]
            ).text
        }
        for index in events.indices {
            events[index].claims = nil
            events[index].stream = "s/\(index / 3)"
            events[index].version = Int64(index % 3 + 1)
        }
        func check(_ kinds: [LogFault.Kind], at positions: [Int64]) async throws {
            let text = events.map { $0.recordLine + "\n" }.joined()
            let faults = Check.faults(of: text)
            #expect(faults.map(\.kind) == kinds && faults.map(\.position) == positions, "\(faults)")
            let verdict = try await Check.python(text)
            for position in positions { #expect(verdict.output.contains("position \(position): claims: ")) }
            #expect(verdict.exitCode == (kinds.isEmpty ? 0 : 2), "\(verdict.output)")
        }
        events[0].claims = claims(3, 1)
        events[3].claims = claims(3, 2)
        try await check([], at: [])
        events[3].claims = claims(3, 1)
        try await check([.claims, .claims], at: [4, 4])
        events[3].claims = claims(4, 2)
        try await check([.claims], at: [7])
        events[3].claims = claims(3, 2)
        events[11].claims = claims(2, 3)
        try await check([.claims], at: [13])
    }
}
