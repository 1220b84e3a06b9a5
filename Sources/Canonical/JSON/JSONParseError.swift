/// Why bytes are not a JSON document, and where. Contains none of the bytes.
package struct JSONParseError: Error, Hashable, Sendable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A byte that is not allowed there; also a control character or a bad escape within a string.
        case unexpectedByte = "unexpected-byte"
        /// The document ends before it is complete.
        case unexpectedEnd = "unexpected-end"
        /// Something other than white space follows the value.
        case trailingData = "trailing-data"
        /// The document starts with a byte order mark.
        case byteOrderMark = "byte-order-mark"
        /// Nested deeper than `JSONLimits.maximumDepth`.
        case depthExceeded = "depth-exceeded"
        /// Longer than `JSONLimits.maximumBytes`.
        case tooLarge = "too-large"
        /// Longer than `JSONLimits.maximumNumberBytes`.
        case numberTooLong = "number-too-long"
        /// An object has two members of the same name.
        case duplicateKey = "duplicate-key"
        /// A string is not well-formed UTF-8.
        case invalidUTF8 = "invalid-utf8"
        /// Half of a surrogate pair, written as an escape.
        case loneSurrogate = "lone-surrogate"
    }

    package let code: Code
    /// The offset of the error in bytes from the start of the document: for a duplicate key the start of the second
    /// one, for a number that is too long its start, for a lone surrogate its backslash.
    package let offset: Int

    package init(_ code: Code, offset: Int) {
        self.code = code
        self.offset = offset
    }
}

extension JSONParseError: CustomStringConvertible {
    package var description: String { "\(code.rawValue) at byte \(offset)" }
}
