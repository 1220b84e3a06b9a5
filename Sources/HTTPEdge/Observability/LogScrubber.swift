/// Removes from a text what must not be in a log. The product supplies the rules: the edge has no rule for card
/// numbers.
package protocol LogScrubber: Sendable {
    /// The scrubbed text; the same text if there is nothing to remove.
    func scrub(_ text: String) -> String
}

/// A scrubber that calls a function.
package struct FunctionScrubber: LogScrubber {
    private let function: @Sendable (String) -> String

    package init(_ function: @escaping @Sendable (String) -> String) {
        self.function = function
    }

    package func scrub(_ text: String) -> String { function(text) }
}
