import DaybookTestKit
import EventLog
import Foundation
import Merkle
import Testing

@Suite("The witness file")
struct WitnessFileTests {
    private let keys: LogKeys

    init() throws { keys = try LogKeys.made() }

    private func note(_ size: Int64) throws -> String {
        try Checkpoint(origin: "log.test", size: size, root: .empty).signed(by: keys.signing).encoded
    }

    private func sizes(in path: String) throws -> [Int64?] {
        var sizes: [Int64?] = []
        try WitnessFile.read(path) { note in
            sizes.append((try? note.get()).flatMap { try? Checkpoint(text: $0.text).size })
        }
        return sizes
    }

    private func append(_ text: String, to path: String) throws {
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    @Test("Several writers keep notes in order, and the newest is known")
    func notes() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/witness"
            let (one, two) = (WitnessFile(path: path), WitnessFile(path: path))
            #expect(try await one.last() == nil)
            for size in 1...300 as ClosedRange<Int64> { try await one.append(note(size), size: size) }
            try await two.append(note(301), size: 301)
            // Another writer has already appended it.
            try await one.append(note(300), size: 300)
            try await one.append(note(301), size: 301)
            try await one.append(note(302), size: 302)
            #expect(try sizes(in: path) == Array(1...302))
            let last = try #require(try await two.last())
            #expect(try Checkpoint(last, signedBy: keys.verifiers).size == 302)
        }
    }

    @Test("An interrupted append is ignored, wherever it was cut")
    func torn() async throws {
        try await withTemporaryDirectory { directory in
            let next = try note(2) + "\n"
            for cut in [1, 9, 10, 12, 55, 56, 57, 60, 120, next.utf8.count - 1] {
                let path = "\(directory)/witness-\(cut)"
                let file = WitnessFile(path: path)
                try await file.append(note(1), size: 1)
                try append(String(decoding: next.utf8.prefix(cut), as: UTF8.self), to: path)
                #expect(try Checkpoint(text: try #require(try await file.last()).text).size == 1, "\(cut)")
                #expect(try sizes(in: path) == [1])
                try await file.append(note(3), size: 3)
                #expect(try sizes(in: path) == [1, 3], "\(cut)")
            }
            let path = "\(directory)/only-torn"
            try Data(next.utf8.prefix(30)).write(to: URL(filePath: path))
            let file = WitnessFile(path: path)
            #expect(try await file.last() == nil)
            try await file.append(note(4), size: 4)
            #expect(try sizes(in: path) == [4])
        }
    }

    @Test("A file with other contents is left unchanged")
    func foreign() async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/other"
            let contents = Data(String(repeating: "some other text\n\n", count: 1000).utf8)
            try contents.write(to: URL(filePath: path))
            let file = WitnessFile(path: path)
            await #expect(throws: WitnessFile.Failure.self) { try await file.last() }
            await #expect(throws: WitnessFile.Failure.self) { try await file.append(note(1), size: 1) }
            #expect(try Data(contentsOf: URL(filePath: path)) == contents)
            let nowhere = WitnessFile(path: "\(directory)/none/witness")
            #expect(try await nowhere.last() == nil)
            await #expect(throws: WitnessFile.Failure.self) { try await nowhere.append(note(1), size: 1) }
        }
    }

    @Test("Nothing is lost when the file could not be written for a while")
    func catchingUp() async throws {
        try await withTemporaryDirectory { directory in
            try await TestLog.with { log in
                let path = "\(directory)/later/witness"
                try await log.append(3)
                let signer = log.checkpointer(keys, witness: WitnessFile(path: path))
                await #expect(throws: WitnessFile.Failure.self) { try await signer.step() }
                #expect(signer.state == .signing)
                #expect(try await log.evidence.checkpoint()?.size == 3)
                try FileManager.default.createDirectory(atPath: "\(directory)/later", withIntermediateDirectories: true)
                #expect(try await signer.step() == nil)
                #expect(try sizes(in: path) == [3])
                try await log.append(2)
                _ = try await signer.step()
                #expect(try sizes(in: path) == [3, 5])
            }
        }
    }

    @Test("Key files: what is accepted, and what is refused")
    func keyFiles() throws {
        let text = keys.fileContents
        let read = try LogKeys(fileContents: text)
        #expect(read.verifiers == keys.verifiers && read.origin == "log.test")
        #expect(text.split(separator: "\n").filter { !$0.hasPrefix("#") }.count == 1)
        let other = NoteSigningKey(name: try #require(NoteKeyName("other.test")))
        for (contents, line) in [
            ("", 1), ("# only a comment\n", 2), (keys.verifiers[0].text + "\n", 2), (text + "x\n", 4),
            (text + other.secretText, 4), (text + other.verifierKey.text, 4),
        ] {
            #expect {
                try LogKeys(fileContents: contents)
            } throws: { error in
                (error as? LogKeys.Malformed)?.line == line
            }
        }
    }
}
