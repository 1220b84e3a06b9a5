import Canonical

/// JSON with one member on each line.
enum IndentedJSON {
    static func text(_ value: JSONValue) -> String {
        var text = ""
        write(value, 0, to: &text)
        return text
    }

    private static func write(_ value: JSONValue, _ level: Int, to text: inout String) {
        let inner = String(repeating: "  ", count: level + 1)
        let outer = String(repeating: "  ", count: level)
        switch value {
        case .object(let object) where !object.isEmpty:
            text += "{\n"
            for (index, member) in object.members.enumerated() {
                text += inner + JSONValue.string(member.key).text + ": "
                write(member.value, level + 1, to: &text)
                text += index + 1 < object.count ? ",\n" : "\n"
            }
            text += outer + "}"
        case .array(let items) where !items.isEmpty:
            text += "[\n"
            for (index, item) in items.enumerated() {
                text += inner
                write(item, level + 1, to: &text)
                text += index + 1 < items.count ? ",\n" : "\n"
            }
            text += outer + "]"
        default: text += value.text
        }
    }
}
