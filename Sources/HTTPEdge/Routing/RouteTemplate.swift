/// A path with named segments.
struct RouteTemplate: Sendable, Hashable {
    enum Segment: Sendable, Hashable {
        case literal(String)
        /// `{name}`: one non-empty segment.
        case named(String)
        /// `{name...}`: all the rest, at least one segment.
        case rest(String)
    }

    let text: String
    let segments: [Segment]

    /// Nil for a template that does not start with a slash, names a segment twice, or continues after the rest.
    init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        self.text = text
        var segments: [Segment] = []
        var names: Set<String> = []
        if text != "/" {
            for piece in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                if case .rest = segments.last { return nil }
                guard piece.hasPrefix("{") else {
                    guard !piece.isEmpty, !piece.contains("{"), !piece.contains("}") else { return nil }
                    segments.append(.literal(String(piece)))
                    continue
                }
                guard piece.hasSuffix("}"), piece.count > 2 else { return nil }
                var name = piece.dropFirst().dropLast()
                let takesRest = name.hasSuffix("...")
                if takesRest { name = name.dropLast(3) }
                guard !name.isEmpty, names.insert(String(name)).inserted else { return nil }
                segments.append(takesRest ? .rest(String(name)) : .named(String(name)))
            }
        }
        self.segments = segments
    }

    /// The second segment, if it is literal: most routes of an API differ in it.
    var secondLiteral: String? {
        if segments.count > 1, case .literal(let literal) = segments[1] { literal } else { nil }
    }

    /// The values of the named segments; nil if the path does not match.
    func match(_ path: [String]) -> [String: String]? {
        guard path.count >= segments.count else { return nil }
        var values: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            guard index < path.count else { return nil }
            switch segment {
            case .literal(let literal):
                guard path[index] == literal else { return nil }
            case .named(let name):
                guard !path[index].isEmpty else { return nil }
                values[name] = path[index]
            case .rest(let name):
                values[name] = path[index...].joined(separator: "/")
                return values
            }
        }
        return path.count == segments.count ? values : nil
    }

    /// Whether it must be tried before the other one.
    func isMorePrecise(than other: RouteTemplate) -> Bool {
        for (mine, its) in zip(segments, other.segments) where mine.rank != its.rank { return mine.rank < its.rank }
        return segments.count > other.segments.count
    }
}

extension RouteTemplate.Segment {
    fileprivate var rank: Int {
        switch self {
        case .literal: 0
        case .named: 1
        case .rest: 2
        }
    }
}
