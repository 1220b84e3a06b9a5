/// An `Accept-Encoding` field (RFC 9110 section 12.5.3), as far as gzip is concerned.
package struct AcceptEncodingField: Sendable, Hashable {
    /// Whether gzip may be sent and nothing says that the plain answer is liked better.
    package let prefersGzip: Bool
    /// Whether the plain answer is ruled out.
    package let refusesIdentity: Bool

    /// Reads the field; members that are malformed count for nothing. Of two for the same coding the lesser counts.
    package init(_ field: String) {
        var weights: [String: Int] = [:]
        for member in field.split(separator: ",").prefix(32) {
            let pieces = member.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
            guard let name = pieces.first, !name.isEmpty, let weight = Self.weight(pieces.dropFirst()) else { continue }
            let coding = name == "x-gzip" ? "gzip" : name
            weights[coding] = min(weight, weights[coding] ?? weight)
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        // The asterisk says of the plain answer only that it is unwanted, never how much it is liked.
        let identity = weights["identity"] ?? (weights["*"] == 0 ? 0 : nil)
        prefersGzip = gzip > 0 && gzip >= identity ?? 0
        refusesIdentity = identity == 0
    }

    private static func weight(_ parameters: ArraySlice<String>) -> Int? {
        guard let first = parameters.first else { return AcceptField.fullWeight }
        guard parameters.count == 1, first.hasPrefix("q=") else { return nil }
        return AcceptField.weight(first.dropFirst(2))
    }
}
