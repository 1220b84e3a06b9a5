/// One BER-TLV data object.
package struct TLVObject: Sendable, Hashable {
    package enum Content: Sendable, Hashable {
        case primitive([UInt8])
        case constructed([TLVObject])
    }

    package var tag: EMVTag
    package var content: Content

    /// - Parameter value: The value of a primitive tag. The constructed bit of the tag is not checked: `write` writes
    ///   what it is given.
    package init(_ tag: EMVTag, _ value: [UInt8]) {
        self.tag = tag
        content = .primitive(value)
    }

    package init(_ tag: EMVTag, _ children: [TLVObject]) {
        self.tag = tag
        content = .constructed(children)
    }

    /// The value of a primitive object; nil for a constructed one.
    package var value: [UInt8]? {
        if case .primitive(let value) = content { value } else { nil }
    }

    /// The child objects; empty for a primitive one.
    package var children: [TLVObject] {
        if case .constructed(let children) = content { children } else { [] }
    }

    /// The number of levels of this object: 1 without children.
    package var depth: Int { 1 + (children.map(\.depth).max() ?? 0) }
}

extension [TLVObject] {
    /// The value of the first primitive object with this tag, at any depth, in the order of the bytes.
    package func value(of tag: EMVTag) -> [UInt8]? {
        for object in self {
            switch object.content {
            case .primitive(let value) where object.tag == tag: return value
            case .primitive: continue
            case .constructed(let children):
                if let value = children.value(of: tag) { return value }
            }
        }
        return nil
    }

    /// Every primitive object at any depth, in the order of the bytes.
    package var primitives: [TLVObject] {
        flatMap { object in
            if case .constructed(let children) = object.content { children.primitives } else { [object] }
        }
    }
}
