import Canonical

/// The printed text of version 1's answer, which some apps send: a Swift dictionary of OpenStep property lists in
/// unnamed braces, as in the guide's example.
enum DejavooPrintedText {
    /// - Parameters:
    ///   - body: `didReceiveResponse` as an object; its request is left out.
    ///   - time: By the device's clock.
    static func answer(_ body: JSONObject, at time: Timestamp) -> String {
        let members = body.members.filter { $0.key != "request" }
        let lines = members.map { "      \"\($0.key)\": \(value($0.value))" }.joined(separator: ",\n")
        let day = time.dayText
        let date = "\(day.suffix(2)).\(day.dropFirst(4).prefix(2)).\(day.prefix(4))"
        return "{\n  {\n    [\n\(lines)\n    ]\n    \"Date\" : \"\(date)\"\n  }\n}"
    }

    /// The app's request, followed by the answer.
    static func exchange(_ body: JSONObject, at time: Timestamp) -> String {
        let answer = answer(body, at: time)
        guard let request = body["request"] else { return answer }
        return "[\"request\": \(dictionary(request))]\n\(answer)"
    }

    /// Amounts are Swift dictionaries; other objects are property lists.
    private static func value(_ value: JSONValue) -> String {
        guard let object = value.object else { return quoted(value) }
        guard object["Amt"] == nil else { return dictionary(value) }
        let lines = object.members.map { "        \($0.key) = \(bare($0.value));\n" }.joined()
        return "{\n\(lines)      }"
    }

    /// `["Amt": "100", "Label": "Amount"]`
    private static func dictionary(_ value: JSONValue) -> String {
        let members = value.object?.members ?? [:]
        return "[\(members.map { "\"\($0.key)\": \(quoted($0.value))" }.joined(separator: ", "))]"
    }

    private static func quoted(_ value: JSONValue) -> String { "\"\(value.string ?? "")\"" }

    /// A property list quotes every value with characters other than letters and digits.
    private static func bare(_ value: JSONValue) -> String {
        let text = value.string ?? ""
        let isWord =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
            }
        return isWord ? text : quoted(value)
    }
}
