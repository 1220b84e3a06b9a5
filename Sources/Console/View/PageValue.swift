import Mustache

/// What a template is filled with. Nothing in it is markup: the templates write every text escaped.
enum PageValue: Sendable, Hashable {
    case text(String)
    case flag(Bool)
    case list([PageValue])
    case object([String: PageValue])

    /// Members that are nil are left out, so that a section of theirs is not written.
    static func members(_ members: KeyValuePairs<String, PageValue?>) -> PageValue {
        var object: [String: PageValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    /// Nil for a text that is missing or empty.
    static func given(_ text: String?) -> PageValue? {
        guard let text, !text.isEmpty else { return nil }
        return .text(text)
    }

    /// Nil for a flag that is down.
    static func given(_ flag: Bool) -> PageValue? { flag ? .flag(true) : nil }
}

extension PageValue: MustacheCustomRepresentation {
    var representation: Any? {
        switch self {
        case .text(let text): text
        case .flag(let flag): flag
        case .list(let list): list
        case .object(let object): object
        }
    }
}

extension PageValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(arrayLiteral elements: PageValue...) { self = .list(elements) }
}
