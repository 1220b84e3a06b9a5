package import Canonical
package import Payments

/// The place from which a list continues. Opaque to clients: a position, and a name if positions are not unique.
package struct Cursor: Sendable, Hashable {
    package var position: Int64
    package var name: String?
    /// The epoch of the log in which cursors are made and read in this task.
    @TaskLocal package static var epoch: Int64 = 0

    /// The position of a list of the past. A requested time may mean another position when the next page is read.
    package var asOf: Int64?

    /// The balances after the last item of a page of a statement, so that the next page does not add them up again. No
    /// part of the text, because a client could change them.
    package var balances: [Currency: Int64]?

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

    /// - Throws: `invalid-cursor`; `other-epoch` for a cursor of another epoch of the log.
    package init(_ text: String) throws(Refusal) {
        guard let end = text.firstIndex(of: "-"), text.hasPrefix("e") else {
            try self.init(inEpoch: text)
            guard Self.epoch == 0 else { throw .otherEpoch }
            return
        }
        guard let epoch = Int64(text[text.index(after: text.startIndex)..<end], radix: 36) else { throw Self.invalid }
        try self.init(inEpoch: String(text[text.index(after: end)...]))
        guard epoch == Self.epoch else { throw .otherEpoch }
    }

    private init(inEpoch text: String) throws(Refusal) {
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
        let epoch = Self.epoch == 0 ? "" : "e\(String(Self.epoch, radix: 36))-"
        return epoch + "c" + String(position, radix: 36) + past + (name.map { "~\($0)" } ?? "")
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

extension Refusal {
    /// A cursor or position of another epoch: the log was adopted after it lost events.
    package static var otherEpoch: Refusal {
        Refusal(
            kind: .gone,
            code: "other-epoch",
            title: "The position is of another epoch of the log",
            detail: "The log was adopted after it lost events. Read it again from the beginning, or from a time."
        )
    }

    /// A position that the log does not have. Waiting for it does not help.
    package static func beyondEnd(_ end: Int64) -> Refusal {
        Refusal(
            kind: .invalid,
            code: "position-beyond-end",
            title: "The log ends before this position",
            detail: "The log ends at \(end)."
        )
    }
}
