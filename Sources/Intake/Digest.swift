import Crypto

/// SHA-256 over parts, each preceded by its length, so that no two lists of parts give the same bytes.
func digest(_ parts: [String?]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(parts.reduce(0) { $0 + ($1?.utf8.count ?? 0) + 8 })
    for part in parts {
        if let part {
            bytes.append(contentsOf: String(part.utf8.count).utf8)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: part.utf8)
        } else {
            bytes.append(contentsOf: "-:".utf8)
        }
    }
    return Array(SHA256.hash(data: bytes))
}
