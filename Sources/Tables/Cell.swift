/// The content of one cell of a table.
package enum Cell: Sendable, Hashable {
    /// No value is known; this differs from an empty text.
    case absent
    /// Text from a user or sender, or a name.
    case text(String)
    /// A number of the ledger: decimal digits, with an optional sign and point.
    case number(String)

    /// The characters of either kind; nil if no value is known.
    package var value: String? {
        switch self {
        case .absent: nil
        case .text(let text), .number(let text): text
        }
    }
}
