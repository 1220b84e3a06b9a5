/// Writes data objects with the shortest possible lengths.
package enum TLVWriter {
    package static func bytes(_ objects: [TLVObject]) -> [UInt8] {
        var bytes: [UInt8] = []
        for object in objects { append(object, to: &bytes) }
        return bytes
    }

    private static func append(_ object: TLVObject, to bytes: inout [UInt8]) {
        let value =
            switch object.content {
            case .primitive(let value): value
            case .constructed(let children): Self.bytes(children)
            }
        bytes += object.tag.bytes
        bytes += length(value.count)
        bytes += value
    }

    /// The length in one byte up to 127; beyond that, its big-endian bytes after a byte with their number.
    package static func length(_ length: Int) -> [UInt8] {
        guard length > 0x7F else { return [UInt8(truncatingIfNeeded: max(0, length))] }
        var bytes: [UInt8] = []
        var rest = length
        while rest > 0 {
            bytes.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
        return [0x80 | UInt8(truncatingIfNeeded: bytes.count)] + bytes.reversed()
    }
}
