package import Canonical

/// The members that a proposal changes, as lines of text: `graceDays: 2 -> 3`. Each entry of a list, such as
/// a rule, has a line.
package struct ProposedChanges: Sendable, Hashable {
    package let lines: [String]

    /// - Parameters:
    ///   - request: What is proposed.
    ///   - before: What is in force; nil for a proposal that replaces nothing. All members of the request are then
    ///     listed.
    package init(_ request: JSONValue, replacing before: JSONValue? = nil) {
        lines = (request.object ?? [:]).flatMap { member in
            let name = member.key
            guard let before else { return ["\(name): \(Self.text(member.value))"] }
            let old = before[name] ?? .null
            guard old != member.value else { return [] }
            guard case (.array(let old), .array(let new)) = (old, member.value) else {
                return [Self.line(name, old, member.value)]
            }
            return Self.lines(name, old, new)
        }
    }

    /// The entries that differ, and the order if only that differs.
    private static func lines(_ list: String, _ old: [JSONValue], _ new: [JSONValue]) -> [String] {
        let names = (old: old.map(name), new: new.map(name))
        var lines = zip(names.new, new).compactMap { name, entry -> String? in
            let former = names.old.firstIndex(of: name).map { old[$0] }
            return former == entry ? nil : line("\(list) \(name)", former ?? .null, entry, naming: labels)
        }
        lines += zip(names.old, old).filter { !names.new.contains($0.0) }.map {
            line("\(list) \($0)", $1, .null, naming: labels)
        }
        let kept = (old: names.old.filter(names.new.contains), new: names.new.filter(names.old.contains))
        if kept.old != kept.new {
            lines.append("\(list), order: \(names.old.joined(separator: ", ")) -> \(names.new.joined(separator: ", "))")
        }
        return lines
    }

    /// The members that name an entry.
    private static let labels = ["name", "brand", "currency"]

    /// The name of an entry, which is unique in its list.
    private static func name(_ entry: JSONValue) -> String {
        let parts = labels.compactMap { entry[$0]?.string }
        return parts.isEmpty ? text(entry) : parts.joined(separator: " ")
    }

    /// Of two objects, only the members that differ.
    ///
    /// - Parameter labels: The members that `name` has already.
    private static func line(
        _ name: String,
        _ old: JSONValue,
        _ new: JSONValue,
        naming labels: [String] = []
    ) -> String {
        guard let former = old.object, let later = new.object else {
            return "\(name): \(text(old, without: labels)) -> \(text(new, without: labels))"
        }
        let gone = former.keys.filter { later[$0] == nil }
        let changed = later.keys.filter { former[$0] != later[$0] } + gone
        let parts = changed.map { "\($0) \(text(former[$0] ?? .null)) -> \(text(later[$0] ?? .null))" }
        return "\(name): \(parts.joined(separator: ", "))"
    }

    private static func text(_ value: JSONValue, without labels: [String] = []) -> String {
        switch value {
        case .null: "none"
        case .string(let text): text
        case .bool, .number: value.text
        case .array(let entries): entries.isEmpty ? "none" : entries.map { text($0) }.joined(separator: " ")
        case .object(let members):
            members.filter { !labels.contains($0.key) }.map { "\($0.key) \(text($0.value))" }.joined(separator: ", ")
        }
    }
}
