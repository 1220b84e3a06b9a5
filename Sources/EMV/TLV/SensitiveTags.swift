/// Removes from data objects what must not be stored.
package enum SensitiveTags {
    /// The objects without those whose tag is sensitive, at any depth, and the removed tags in the order of the bytes.
    /// Templates stay, even when they become empty. An empty value is not a secret and stays.
    package static func removing(from objects: [TLVObject]) -> (kept: [TLVObject], removed: [EMVTag]) {
        var removed: [EMVTag] = []
        let kept = removing(from: objects, &removed)
        return (kept, removed)
    }

    private static func removing(from objects: [TLVObject], _ removed: inout [EMVTag]) -> [TLVObject] {
        objects.compactMap { object in
            switch object.content {
            case .constructed(let children): return TLVObject(object.tag, removing(from: children, &removed))
            case .primitive(let value):
                guard !value.isEmpty, TagDictionary.entry(for: object.tag)?.sensitivity.isForbidden == true else {
                    return object
                }
                removed.append(object.tag)
                return nil
            }
        }
    }
}
