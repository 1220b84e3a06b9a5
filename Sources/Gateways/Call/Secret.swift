/// A password, key or token. It shows itself to nobody who prints, logs, reflects or encodes it.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    /// - Returns: Nil for an empty text.
    package init?(_ value: String) {
        guard !value.isEmpty else { return nil }
        self.value = value
    }

    /// The secret itself, for the wire and nothing else.
    func exposed() -> String { value }

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
