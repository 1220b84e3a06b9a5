/// The reason that an operator gives for a command: a text of 1 to `mostBytes` bytes, not only blanks.
package struct Reason: Sendable, Hashable {
    package static let mostBytes = 1_000

    package let text: String

    /// Nil for a text that is empty, too long, or only blanks.
    package init?(_ text: String) {
        guard Self.accepts(text, mostBytes: Self.mostBytes) else { return nil }
        self.text = text
    }

    /// Whether a text of an operator has 1 to `mostBytes` bytes, not only blanks.
    package static func accepts(_ text: String, mostBytes: Int) -> Bool {
        (1...mostBytes).contains(text.utf8.count) && text.contains { !$0.isWhitespace }
    }
}

extension IntakeProblem {
    /// The answer to a body whose `reason` is missing or not accepted.
    package static let noReason = IntakeProblem(
        .malformedRecord,
        "A reason is a text of 1 to \(Reason.mostBytes) bytes.",
        pointer: "/reason"
    )
}
