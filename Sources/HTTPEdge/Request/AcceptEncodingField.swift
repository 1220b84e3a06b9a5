/// An `Accept-Encoding` field (RFC 9110 section 12.5.3), as far as gzip is concerned.
package struct AcceptEncodingField: Sendable, Hashable {
    /// Whether gzip is accepted and the plain answer is not preferred to it.
    package let prefersGzip: Bool
    /// Whether the plain answer is not acceptable.
    package let refusesIdentity: Bool

    /// Reads the field; malformed members are ignored. Of two members for the same coding the smaller weight counts.
    package init(_ field: String) {
        var weights: [String: Int] = [:]
        for member in field.split(separator: ",").prefix(32) {
            let pieces = member.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
            guard let name = pieces.first, !name.isEmpty, let weight = Self.weight(pieces.dropFirst()) else { continue }
            let coding = name == "x-gzip" ? "gzip" : name
            weights[coding] = min(weight, weights[coding] ?? weight)
        }
        let gzip = weights["gzip"] ?? weights["*"] ?? 0
        // The asterisk can only exclude the plain answer; it gives it no weight.
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
