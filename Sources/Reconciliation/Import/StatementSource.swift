/// The bytes of a file, which can be read more than once.
package protocol StatementSource: Sendable {
    /// Up to `count` bytes from `offset` on; empty only at the end.
    func read(_ count: Int, at offset: Int64) async throws -> [UInt8]
}

/// A file in memory.
package struct StatementBytes: StatementSource {
    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package func read(_ count: Int, at offset: Int64) async throws -> [UInt8] {
        guard offset < bytes.count else { return [] }
        return Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + count)])
    }
}
