import Canonical

extension JSONValue {
    /// Members that only one side has, and those that change with time.
    private static let unlike = ["more", "ageSeconds", "madeAt", "origin", "signing"]
    /// The document without them.
    var comparable: JSONValue {
        if let array { return .array(array.map(\.comparable)) }
        guard let object else { return self }
        var kept: JSONObject = [:]
        for member in object.members where !Self.unlike.contains(member.key) && member.value["state"] != "proven" {
            kept[member.key] = member.value.comparable
        }
        return .object(kept)
    }
}
