import Canonical
import DaybookTestKit
import HTTPEdge
import Logging
import Merkle
import ServiceLifecycle
import WitnessService

/// A log of some leaves that signs checkpoints, and the requests about it.
struct SignedTree: Sendable {
    let key: NoteSigningKey
    private let leaves: [MerkleHash]

    init(_ origin: String, size: Int, seed: UInt8 = 0) throws {
        guard let name = NoteKeyName(origin) else { throw NoteError.malformed }
        key = NoteSigningKey(name: name)
        leaves = (0..<size).map { MerkleHash(leaf: [seed, UInt8($0)]) }
    }

    /// The same keys, other leaves.
    init(_ key: NoteSigningKey, size: Int, seed: UInt8) {
        self.key = key
        leaves = (0..<size).map { MerkleHash(leaf: [seed, UInt8($0)]) }
    }

    private func root(_ range: Range<Int>) -> MerkleHash {
        if range.isEmpty { return .empty }
        if range.count == 1 { return leaves[range.lowerBound] }
        let middle = range.lowerBound + Self.split(range.count)
        return MerkleHash(left: root(range.lowerBound..<middle), right: root(middle..<range.upperBound))
    }

    private static func split(_ count: Int) -> Int {
        var power = 1
        while power * 2 < count { power *= 2 }
        return power
    }

    /// RFC 6962, section 2.1.2, as it is written there.
    private func proof(_ first: Int, _ range: Range<Int>, isWhole: Bool) -> [MerkleHash] {
        if first == range.count { return isWhole ? [] : [root(range)] }
        let middle = range.lowerBound + Self.split(range.count)
        if first <= middle - range.lowerBound {
            return proof(first, range.lowerBound..<middle, isWhole: isWhole) + [root(middle..<range.upperBound)]
        }
        return proof(first - (middle - range.lowerBound), middle..<range.upperBound, isWhole: false)
            + [root(range.lowerBound..<middle)]
    }

    func note(_ size: Int, epoch: Int64 = 0) throws -> SignedNote {
        try Checkpoint(
            origin: key.name.description,
            size: Int64(size),
            root: root(0..<size),
            after: 0,
            epoch: epoch
        ).signed(by: [key])
    }

    func submission(from old: Int, to size: Int, epoch: Int64 = 0) throws -> CheckpointSubmission {
        let proof = old > 0 && old < size ? proof(old, 0..<size, isWhole: true) : []
        return CheckpointSubmission(old: Int64(old), proof: proof, note: try note(size, epoch: epoch))
    }

    func request(from old: Int, to size: Int, epoch: Int64 = 0) throws -> String {
        try submission(from: old, to: size, epoch: epoch).encoded
    }
}

/// A witness on its own port.
struct TestWitness: Sendable {
    let port: Int
    let cosigner: CosignerKey

    /// Sends a body to it.
    func add(_ body: String) async throws -> RawResponse {
        let client = try await RawClient.connect(port: port)
        try await client.send(
            "POST /add-checkpoint HTTP/1.1\r\nHost: w\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
        )
        return try await client.readResponse()
    }

    /// Opens the state directory, and serves while `body` runs.
    static func serve(
        _ keys: [NoteVerifierKey],
        cosigner: NoteSigningKey,
        directory: String,
        _ body: @escaping @Sendable (TestWitness) async throws -> Void
    ) async throws {
        let cosigning = CosigningKey(cosigner)
        let logger = Logger(label: "witness") { _ in SwiftLogNoOpLogHandler() }
        let logs = try WitnessedLogs(
            keys: keys,
            cosigners: [cosigning],
            directory: try WitnessDirectory(path: directory),
            clock: ManualClock(),
            logger: logger
        )
        var configuration = EdgeConfiguration()
        configuration.port = 0
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        let server = EdgeServer(
            configuration: configuration,
            router: logs.router(),
            logger: logger,
            onRunning: { continuation.yield($0) }
        )
        let group = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { continuation.finish() }
                try await group.run()
            }
            for await port in ports {
                do {
                    try await body(TestWitness(port: port, cosigner: cosigning.cosignerKey))
                } catch {
                    await group.triggerGracefulShutdown()
                    throw error
                }
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }
}
