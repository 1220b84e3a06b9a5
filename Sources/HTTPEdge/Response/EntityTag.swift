/// A version of a representation (RFC 9110 section 8.8.3).
package struct EntityTag: Sendable, Hashable {
    /// Printable ASCII without quotes.
    package let value: String
    package let isWeak: Bool

    /// Nil if the value has a byte that an entity tag cannot have.
    package init?(_ value: String, isWeak: Bool = false) {
        guard value.utf8.allSatisfy({ $0 == 0x21 || (0x23...0x7E).contains($0) }) else { return nil }
        self.value = value
        self.isWeak = isWeak
    }

    /// The tag in the form of a header field.
    package var text: String { isWeak ? "W/\"\(value)\"" : "\"\(value)\"" }

    /// The tags of an `If-Match` or `If-None-Match` field.
    package enum Condition: Sendable, Hashable {
        /// `*`: any version.
        case any
        case tags([EntityTag])

        /// Nil if the field is malformed.
        package init?(_ field: String) {
            let text = field.trimmed
            if text == "*" {
                self = .any
                return
            }
            var tags: [EntityTag] = []
            var rest = Substring(text)
            while true {
                rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
                if rest.isEmpty { break }
                let isWeak = rest.hasPrefix("W/")
                if isWeak { rest = rest.dropFirst(2) }
                guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\""),
                    let tag = EntityTag(String(rest[rest.index(after: rest.startIndex)..<end]), isWeak: isWeak)
                else { return nil }
                tags.append(tag)
                rest = rest[rest.index(after: end)...]
                guard rest.isEmpty || rest.first == "," || rest.first == " " || rest.first == "\t" else { return nil }
            }
            guard !tags.isEmpty else { return nil }
            self = .tags(tags)
        }

        /// Strong comparison, for `If-Match`.
        package func matchesStrongly(_ tag: EntityTag) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): !tag.isWeak && tags.contains(tag)
            }
        }

        /// Weak comparison, for `If-None-Match`.
        package func matchesWeakly(_ tag: EntityTag) -> Bool {
            switch self {
            case .any: true
            case .tags(let tags): tags.contains { $0.value == tag.value }
            }
        }
    }
}
