/// Why a document is not read, and where.
package struct XMLProblem: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable, CaseIterable {
        /// The bytes are neither UTF-8 nor UTF-16.
        case encoding
        case malformed
        /// The document ends within an element, or holds none.
        case truncated
        /// Documents need no types, which can declare entities that grow without bounds or name files of the machine.
        case documentType
        /// A reference to something other than a character or one of the five predefined entities.
        case entity
        case processingInstruction
        case tooDeep
        case tooManyElements
        case longText
        case longDocument
    }

    package let kind: Kind
    /// From 1, like `column`.
    package let line: Int
    /// In bytes of UTF-8.
    package let column: Int
}
