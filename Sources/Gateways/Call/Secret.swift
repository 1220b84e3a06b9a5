/// A password, key or token. Printing, logging, reflecting or encoding it does not reveal the value.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    private let value: String

    /// - Returns: Nil for an empty text.
    package init?(_ value: String) {
        guard !value.isEmpty else { return nil }
        self.value = value
    }

    /// The secret itself, only for the wire.
    func exposed() -> String { value }

    package var description: String { "<secret>" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
