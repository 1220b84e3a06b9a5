import Crypto

/// SHA-256 over parts, each preceded by its length, so that no two lists of parts give the same bytes.
func digest(_ parts: [String?]) -> [UInt8] {
    var hasher = SHA256()
    for part in parts {
        let bytes = Array((part ?? "").utf8)
        hasher.update(data: Array("\(part == nil ? "-" : String(bytes.count)):".utf8))
        hasher.update(data: bytes)
    }
    return Array(hasher.finalize())
}
