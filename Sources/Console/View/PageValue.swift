import Mustache

/// A value that fills a template. It contains no markup: the templates escape every text.
enum PageValue: Sendable, Hashable {
    case text(String)
    case flag(Bool)
    case list([PageValue])
    case object([String: PageValue])

    /// An object without the members that are nil, whose sections are then not written.
    static func members(_ members: KeyValuePairs<String, PageValue?>) -> PageValue {
        var object: [String: PageValue] = [:]
        for (name, value) in members { object[name] = value }
        return .object(object)
    }

    /// A text; nil if it is missing or empty.
    static func given(_ text: String?) -> PageValue? {
        guard let text, !text.isEmpty else { return nil }
        return .text(text)
    }

    /// A flag; nil if it is false.
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
