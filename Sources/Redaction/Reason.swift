/// The reason that an operator gives for a command: a text of 1 to `mostBytes` bytes, not only blanks, without card
/// data and secrets. Commands take a reason, and events store its text.
package struct Reason: Sendable, Hashable {
    /// The longest reason as it is given, in bytes.
    package static let mostBytes = 1_000

    /// The text after scrubbing.
    package let text: String

    /// Nil for a text that is empty, too long, only blanks, or has U+0000, which cannot be stored.
    package init?(_ text: String) {
        guard Self.accepts(text, mostBytes: Self.mostBytes), !text.utf8.contains(0) else { return nil }
        self.text = TextScrubber().scrub(text).text
    }

    /// Whether a text of an operator has 1 to `mostBytes` bytes, not only blanks.
    package static func accepts(_ text: String, mostBytes: Int) -> Bool {
        (1...mostBytes).contains(text.utf8.count) && text.contains { !$0.isWhitespace }
    }
}

extension Reason: ExpressibleByStringLiteral {
    /// A reason that the program gives. A literal that is no reason is a programming error.
    package init(stringLiteral text: String) {
        guard let reason = Reason(text) else { preconditionFailure("The literal is no reason.") }
        self = reason
    }
}
