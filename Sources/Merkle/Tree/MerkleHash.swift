package import Crypto

/// A SHA-256 hash in a Merkle tree: of a leaf, or of the two nodes below (RFC 6962, section 2.1).
package struct MerkleHash: Sendable, Hashable {
    // The bytes as they are in memory: a hash is 32 bytes inline, and an array of hashes is their concatenation.
    private let word0, word1, word2, word3: UInt64

    package static let byteCount = 32

    /// The root of the tree without leaves.
    package static let empty = MerkleHash(SHA256().finalize())

    package init(_ digest: SHA256Digest) {
        self = digest.withUnsafeBytes { $0.loadUnaligned(as: MerkleHash.self) }
    }

    /// The hash of a leaf with these bytes: SHA-256(0x00, bytes).
    package init(leaf bytes: UnsafeRawBufferPointer) {
        var hasher = SHA256()
        withUnsafeBytes(of: 0x00 as UInt8) { hasher.update(bufferPointer: $0) }
        hasher.update(bufferPointer: bytes)
        self.init(hasher.finalize())
    }

    /// The hash of a leaf with these bytes: SHA-256(0x00, bytes).
    package init(leaf bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { MerkleHash(leaf: $0) }
    }

    /// The hash of a node over two others: SHA-256(0x01, left, right).
    package init(left: MerkleHash, right: MerkleHash) {
        // In one piece on the stack: three updates would cost more than the hashing.
        self = withUnsafeTemporaryAllocation(byteCount: 65, alignment: 1) { node in
            node[0] = 0x01
            node.storeBytes(of: left, toByteOffset: 1, as: MerkleHash.self)
            node.storeBytes(of: right, toByteOffset: 33, as: MerkleHash.self)
            var hasher = SHA256()
            hasher.update(bufferPointer: UnsafeRawBufferPointer(node))
            return MerkleHash(hasher.finalize())
        }
    }

    /// Made of the 32 bytes; nil for any other count.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self = bytes.withUnsafeBytes { $0.loadUnaligned(as: MerkleHash.self) }
    }

    /// Made of the 32 bytes in standard base64 with padding; nil for anything else.
    package init?(base64: String) {
        guard let bytes = Base64.bytes(base64) else { return nil }
        self.init(bytes: bytes)
    }

    package var bytes: [UInt8] { withUnsafeBytes(of: self) { Array($0) } }

    /// Standard base64 with padding, 44 characters.
    package var base64: String { Base64.text(bytes) }

    /// 64 hexadecimal digits in lower case.
    package var hexadecimal: String {
        String(unsafeUninitializedCapacity: 64) { buffer in
            for (index, byte) in bytes.enumerated() {
                buffer[2 * index] = Self.digit(byte >> 4)
                buffer[2 * index + 1] = Self.digit(byte & 0xF)
            }
            return 64
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }
}

extension MerkleHash: CustomStringConvertible {
    package var description: String { hexadecimal }
}

extension [MerkleHash] {
    /// Splits concatenated hashes; nil when the count of the bytes is not a multiple of 32.
    package init?(concatenated bytes: [UInt8]) {
        guard bytes.count.isMultiple(of: MerkleHash.byteCount) else { return nil }
        self = bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: bytes.count, by: MerkleHash.byteCount).map {
                bytes.loadUnaligned(fromByteOffset: $0, as: MerkleHash.self)
            }
        }
    }

    /// The hashes one after another, 32 bytes each.
    package var concatenated: [UInt8] { withUnsafeBytes { Array<UInt8>($0) } }
}
