/// What stands in one place of a table.
package enum Cell: Sendable, Hashable {
    /// Nothing is known; an empty text is something else.
    case absent
    /// What somebody wrote, or a name.
    case text(String)
    /// A figure of the ledger's own: decimal digits, perhaps a sign and a point.
    case number(String)

    /// The characters, whatever they mean; nil where nothing is known.
    package var value: String? {
        switch self {
        case .absent: nil
        case .text(let text), .number(let text): text
        }
    }
}
