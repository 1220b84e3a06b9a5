import Crypto
import Synchronization

/// SHA-256 over rows, each preceded by its length.
final class RowHasher: Sendable {
    private let hasher = Mutex(SHA256())

    func add(_ row: String) {
        let bytes = Array(row.utf8)
        hasher.withLock { hasher in
            hasher.update(data: Array("\(bytes.count):".utf8))
            hasher.update(data: bytes)
        }
    }

    /// The digest in hexadecimal.
    func finish() -> String {
        let digits = Array("0123456789abcdef")
        return String(
            hasher.withLock { $0.finalize() }.flatMap { byte in [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
        )
    }
}
