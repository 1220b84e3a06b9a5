import EventLog
import Merkle
import Synchronization

/// A remote witness without a network, which keeps to the rules of one.
final class MemoryWitness: RemoteWitness {
    /// How it answers.
    enum Mood: Sendable, Hashable {
        case answering, silent
    }

    let address = "https://witness.test"
    private let key: CosigningKey
    private let logKeys: [NoteVerifierKey]
    private let readsEpochs: Bool
    private let state = Mutex((newest: Checkpoint?.none, mood: Mood.answering, calls: 0))
    /// Called before each answer.
    private let asked = Mutex<(@Sendable () -> Void)?>(nil)

    /// - Parameter readsEpochs: False for a witness that knows the specification alone.
    init(_ logKeys: LogKeys, readsEpochs: Bool = true) throws {
        guard let name = NoteKeyName("witness.test/w1") else { throw NoteError.malformedKey }
        key = CosigningKey(NoteSigningKey(name: name))
        self.logKeys = logKeys.verifiers
        self.readsEpochs = readsEpochs
    }

    var options: WitnessOptions { WitnessOptions(self, keys: [key.cosignerKey]) }
    var cosignerKey: CosignerKey { key.cosignerKey }
    var newest: Checkpoint? { state.withLock(\.newest) }
    var calls: Int { state.withLock(\.calls) }

    func become(_ mood: Mood) { state.withLock { $0.mood = mood } }

    /// Its operator sets it back, or it loses its state.
    func forget() { state.withLock { $0.newest = nil } }

    func whenAsked(_ body: @escaping @Sendable () -> Void) { asked.withLock { $0 = body } }

    /// Another server has a checkpoint cosigned.
    func learn(_ checkpoint: Checkpoint) { state.withLock { $0.newest = checkpoint } }

    /// What it reads of a checkpoint.
    private func seen(_ checkpoint: Checkpoint) -> Checkpoint {
        readsEpochs
            ? checkpoint : Checkpoint(origin: checkpoint.origin, size: checkpoint.size, root: checkpoint.root)
    }

    func add(_ submission: CheckpointSubmission) async -> WitnessAnswer {
        asked.withLock(\.self)?()
        return state.withLock { state in
            state.calls += 1
            guard state.mood != .silent else { return .unreachable("it is silent") }
            // As it is sent.
            guard let read = try? CheckpointSubmission(Array(submission.encoded.utf8)),
                let checkpoint = try? Checkpoint(text: read.note.text)
            else { return .unusable("it answers 400") }
            guard (try? Checkpoint(read.note, signedBy: logKeys)) != nil else { return .untrusted }
            do throws(WitnessedTree.Refusal) {
                _ = try WitnessedTree(state.newest.map(seen)).judge(seen(checkpoint), old: read.old, proof: read.proof)
            } catch {
                switch error {
                case .conflict(let size): return .conflict(size: size)
                case .invalidProof: return .proofRefused
                case .oldSizeBeyondCheckpoint: return .unusable("it answers 400")
                }
            }
            state.newest = checkpoint
            guard let signature = try? key.signature(for: read.note.text, at: 1) else {
                return .unusable("no signature")
            }
            return .cosigned([signature])
        }
    }
}
