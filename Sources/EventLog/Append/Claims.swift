package import Canonical
import Crypto

/// The keys an item holds once it is appended. They are part of the record line of its first event, so the tables of
/// keys are indexes of the log and can be rebuilt from it.
package struct Claims: Sendable, Hashable {
    /// How many events the item has.
    package var events: Int
    /// Keys in the form `scoped` returns, each with the request it stands for.
    package var idempotency: [(key: UUID128, request: [UInt8])]
    package var references: [String]

    package init(events: Int, idempotency: [(key: UUID128, request: [UInt8])], references: [String]) {
        self.events = events
        self.idempotency = idempotency
        self.references = references
    }

    /// The stored form of a tenant's idempotency key: the first half of the SHA-256 over tenant, a zero byte and key.
    ///
    /// Sixteen bytes keep this index small, because it is the one written at random places. A collision gains nothing:
    /// it can only be made between keys of the same tenant.
    package static func scoped(_ key: [UInt8], to tenant: String) -> UUID128 {
        var hash = SHA256()
        var tenant = tenant
        tenant.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        withUnsafeBytes(of: 0 as UInt8) { hash.update(bufferPointer: $0) }
        key.withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash.finalize().withUnsafeBytes { digest in
            UUID128(
                high: UInt64(bigEndian: digest.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            )
        }
    }

    /// The text in the record line; nil when there are no keys.
    package var text: String? {
        if idempotency.isEmpty, references.isEmpty { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + idempotency.count * 104 + references.count * 48)
        bytes.append(contentsOf: "{\"events\":\(events),\"idempotency\":{".utf8)
        for (index, entry) in idempotency.enumerated() {
            bytes.append(contentsOf: (index == 0 ? "\"" : ",\"").utf8)
            Self.appendHexadecimal(entry.key.bytes, to: &bytes)
            bytes.append(contentsOf: "\":\"".utf8)
            Self.appendHexadecimal(entry.request, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(contentsOf: "},\"references\":[".utf8)
        for (index, reference) in references.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONValue.appendQuoted(reference, to: &bytes)
        }
        bytes.append(contentsOf: "]}".utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func appendHexadecimal(_ source: [UInt8], to bytes: inout [UInt8]) {
        for byte in source {
            bytes.append(HexadecimalDigits.lowercase(byte >> 4))
            bytes.append(HexadecimalDigits.lowercase(byte & 0xF))
        }
    }

    package static func == (left: Claims, right: Claims) -> Bool {
        left.events == right.events && left.references == right.references
            && left.idempotency.elementsEqual(right.idempotency) { $0.key == $1.key && $0.request == $1.request }
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(events)
        hasher.combine(references)
        for entry in idempotency { hasher.combine(entry.key) }
    }
}
