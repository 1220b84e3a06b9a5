/// The limits of the parser for a JSON document.
package struct JSONLimits: Sendable, Hashable {
    /// The longest document, in bytes.
    package let maximumBytes: Int
    /// How deep arrays and objects may be nested: `[]` has depth 1.
    package let maximumDepth: Int
    /// The longest number, in bytes.
    package let maximumNumberBytes: Int

    /// 4 MiB, 64 deep, numbers of 64 bytes.
    package static let standard = JSONLimits()

    /// The deepest nesting that may be configured. The parser, the writer and the release of a value recurse, and a
    /// thread of a cooperative pool has a stack of 512 KiB.
    package static let deepest = 512

    package init(maximumBytes: Int = 4 << 20, maximumDepth: Int = 64, maximumNumberBytes: Int = 64) {
        self.maximumBytes = max(maximumBytes, 0)
        self.maximumDepth = min(max(maximumDepth, 0), Self.deepest)
        self.maximumNumberBytes = max(maximumNumberBytes, 1)
    }
}
