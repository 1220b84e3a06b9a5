import Crypto
import Synchronization

/// SHA-256 over a stream, independent of how it is split.
final class RowHasher: Sendable {
    private let hasher = Mutex(SHA256())

    func add(_ bytes: [UInt8]) {
        hasher.withLock { $0.update(data: bytes) }
    }

    /// The digest in hexadecimal.
    func finish() -> String {
        let digits = Array("0123456789abcdef")
        return String(
            hasher.withLock { $0.finalize() }.flatMap { byte in [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        )
    }
}
