/// Why bytes are not a sequence of BER-TLV data objects. Contains no value.
package struct TLVError: Error, Sendable, Hashable {
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// The bytes end inside a tag.
        case truncatedTag
        /// A tag is longer than any valid tag.
        case tagTooLong
        /// The bytes end where a length is expected, or inside it.
        case truncatedLength
        /// The indefinite form, or a length of more bytes than the limit allows.
        case unsupportedLength
        /// The announced length of a value exceeds the remaining bytes.
        case truncatedValue
        /// The nesting is deeper than the limit allows.
        case tooDeep
        case tooManyObjects
        case tooManyBytes
    }

    package var code: Code
    /// The place in bytes from the beginning of the input: the beginning of the tag or length concerned.
    package var offset: Int

    package init(_ code: Code, at offset: Int) {
        self.code = code
        self.offset = offset
    }
}
