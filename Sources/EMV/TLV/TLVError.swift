/// Why bytes are not a sequence of BER-TLV data objects. Carries no value.
package struct TLVError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The bytes end inside of a tag.
        case truncatedTag
        /// A tag has more bytes than any tag has.
        case tagTooLong
        /// The bytes end where a length is expected, or inside of it.
        case truncatedLength
        /// The indefinite form, or a length of more bytes than the limit allows.
        case unsupportedLength
        /// A value is announced as longer than the bytes that are left.
        case truncatedValue
        /// More objects are nested than the limit allows.
        case tooDeep
        case tooManyObjects
        case tooManyBytes
    }

    package var code: Code
    /// Where, in bytes from the beginning of what was read: the beginning of the tag or length in question.
    package var offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}
