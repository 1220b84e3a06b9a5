package import Canonical

/// A parsed record line: its members, most of them as views into its bytes. Valid as long as those bytes are.
///
/// The format is defined in `docs/log-format.md`.
package struct RecordLine {
    /// The keys that an item claims, named in the record of its first event.
    package struct Claimed {
        /// How many events the item has.
        package var events: Int
        /// Each key, and the SHA-256 of the request it stands for: 32 bytes.
        package var idempotency: [(key: UUID128, request: [UInt8])]
        /// The reference keys, as written.
        package var references: [Range<Int>]
    }

    /// The line, without the line feed.
    package let bytes: UnsafeBufferPointer<UInt8>
    package let position: Int64
    package let id: UUID128
    /// The range between the quotation marks, as written. The other texts are ranges of the same kind.
    package let tenant: Range<Int>
    package let stream: Range<Int>
    package let version: Int64
    package let type: Range<Int>
    package let schema: Int16
    package let occurredAt: Timestamp
    package let recordedAt: Timestamp
    package let actor: Range<Int>
    package let correlation: Range<Int>
    package let causation: UUID128?
    /// The member `claims` as written; nil when it is null.
    package let claims: Range<Int>?
    package let claimed: Claimed?
    /// The member `data` as written.
    package let data: Range<Int>

    /// The bytes of a part, as written.
    package subscript(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: bytes[range])
    }

    /// The value of a text, with its escapes decoded.
    package func text(_ range: Range<Int>) -> String {
        let written = self[range]
        guard written.contains(UInt8(ascii: "\\")) else { return String(decoding: written, as: UTF8.self) }
        // The parser needs the quotation marks around the text.
        let quoted = UnsafeBufferPointer(rebasing: bytes[range.lowerBound - 1..<range.upperBound + 1])
        return (try? JSONValue(parsing: quoted))?.string ?? ""
    }

    /// Whether the text at `range` equals `text`.
    package func says(_ text: String, at range: Range<Int>) -> Bool {
        var text = text
        let isSame = text.withUTF8 { $0.count == range.count && $0.elementsEqual(self[range]) }
        return isSame || (self[range].contains(UInt8(ascii: "\\")) && self.text(range).utf8.elementsEqual(text.utf8))
    }
}

/// Why the bytes are not a record line. Does not quote them.
package struct RecordLineError: Error, Hashable, CustomStringConvertible {
    /// The member that is malformed; nil when it is the line as a whole.
    package let member: String?
    /// The offset at which reading stopped, in bytes from the start of the line.
    package let offset: Int

    package init(member: String?, offset: Int) {
        self.member = member
        self.offset = offset
    }

    package var description: String {
        "\(member.map { "`\($0)`" } ?? "the line") does not have its form, at byte \(offset + 1)"
    }
}
