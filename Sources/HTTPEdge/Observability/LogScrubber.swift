/// Takes out of a text what must not be in a log. The product brings the rules: the edge knows no card number.
package protocol LogScrubber: Sendable {
    /// The text without it; the same text where there is none.
    func scrub(_ text: String) -> String
}

/// A scrubber made of a function.
package struct FunctionScrubber: LogScrubber {
    private let function: @Sendable (String) -> String

    package init(_ function: @escaping @Sendable (String) -> String) {
        self.function = function
    }

    package func scrub(_ text: String) -> String { function(text) }
}
