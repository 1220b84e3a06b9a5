package import Canonical

/// The place from which a list continues. Opaque to clients: a position, and a name if positions are not unique.
package struct Cursor: Sendable, Hashable {
    package var position: Int64
    package var name: String?
    /// The position of a list of the past. A requested time may mean another position when the next page is read.
    package var asOf: Int64?

    package init(position: Int64, name: String? = nil, asOf: Int64? = nil) {
        self.position = position
        self.name = name
        self.asOf = asOf
    }

    /// - Throws: `invalid-cursor`.
    package init?(_ query: inout ParameterReader) throws(Refusal) {
        guard let text = try query.cursor() else { return nil }
        try self.init(text)
    }

    /// - Throws: `invalid-cursor`.
    package init(_ text: String) throws(Refusal) {
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false)
        let positions = (parts.first ?? "").split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = positions.first, first.hasPrefix("c"), let position = Int64(first.dropFirst(), radix: 36),
            (0..<Int64.max).contains(position)
        else { throw Self.invalid }
        self.position = position
        if positions.count == 2 {
            guard let asOf = Int64(positions[1], radix: 36), asOf >= 0 else { throw Self.invalid }
            self.asOf = asOf
        }
        name = parts.count == 2 ? String(parts[1]) : nil
    }

    package var text: String {
        let past = asOf.map { "." + String($0, radix: 36) } ?? ""
        return "c" + String(position, radix: 36) + past + (name.map { "~\($0)" } ?? "")
    }

    package static let invalid = Refusal(
        kind: .invalid,
        code: "invalid-cursor",
        title: "The cursor does not belong to this list"
    )

    /// The name as an id.
    package func id() throws(Refusal) -> UUID128 {
        guard let id = name.flatMap({ UUID128($0) }) else { throw Self.invalid }
        return id
    }
}
