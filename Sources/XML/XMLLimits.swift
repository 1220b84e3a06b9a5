/// What is read of a document at the most.
package struct XMLLimits: Sendable, Hashable {
    /// The deepest nesting of elements.
    package var deepest: Int
    package var mostElements: Int
    /// The longest text of one element, in bytes of UTF-8.
    package var longestText: Int
    /// The longest document, in bytes.
    package var longestDocument: Int
    /// True if processing instructions are skipped instead of refused.
    package var skipsInstructions: Bool

    /// Requests and answers of gateways.
    package static let message = XMLLimits(
        deepest: 16,
        mostElements: 1_024,
        longestText: 1 << 18,
        longestDocument: 1 << 20
    )

    package init(
        deepest: Int,
        mostElements: Int,
        longestText: Int,
        longestDocument: Int,
        skipsInstructions: Bool = false
    ) {
        self.deepest = deepest
        self.mostElements = mostElements
        self.longestText = longestText
        self.longestDocument = longestDocument
        self.skipsInstructions = skipsInstructions
    }
}
