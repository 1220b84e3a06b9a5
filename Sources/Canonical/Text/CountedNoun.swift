extension DefaultStringInterpolation {
    /// A count with its noun: `"\(count, "event")"` is "1 event" or "2 events".
    ///
    /// - Parameter many: The plural; nil for the noun with an s.
    package mutating func appendInterpolation(_ count: some BinaryInteger, _ one: String, _ many: String? = nil) {
        appendLiteral(String(count))
        appendLiteral(" ")
        appendLiteral(count == 1 ? one : many ?? one + "s")
    }
}
