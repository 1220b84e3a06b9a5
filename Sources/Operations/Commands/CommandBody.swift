package import Canonical
package import Intake
package import Redaction

/// The JSON object of a command. It has no other members than those of the command.
package struct CommandBody: Sendable {
    private let object: JSONObject

    /// - Parameter members: The names that the object may have.
    /// - Throws: `malformed-record` if the JSON is not an object or has another member.
    package init(_ json: JSONValue, members: [String]) throws(IntakeProblem) {
        guard let object = json.object else {
            throw IntakeProblem(.malformedRecord, "Send an object with \(members.joined(separator: ", ")).")
        }
        if let other = object.members.first(where: { !members.contains($0.key) }) {
            throw IntakeProblem(
                .malformedRecord,
                "`\(other.key.prefix(64))` is not known here. Known: \(members.joined(separator: ", "))."
            )
        }
        self.object = object
    }

    package subscript(name: String) -> JSONValue? { object[name] }

    /// The reason.
    ///
    /// - Throws: `malformed-record` if it is missing or not a reason.
    package func reason() throws(IntakeProblem) -> Reason { try Reason(reading: object["reason"]?.string) }

    /// The version that the subject must still have; nil if it may have any.
    ///
    /// - Throws: `malformed-record` if it is not a whole number from 0.
    package func expectedVersion() throws(IntakeProblem) -> Int64? {
        guard let reported = object["expectedVersion"] else { return nil }
        guard let version = reported.int64, version >= 0 else {
            throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
        }
        return version
    }

    /// The id of the proposal that is approved or rejected.
    ///
    /// - Throws: `malformed-record` if it is missing or not an id.
    package func proposal() throws(IntakeProblem) -> UUID128 {
        guard let id = object["proposal"]?.string.flatMap({ UUID128($0) }) else {
            throw IntakeProblem(
                .malformedRecord,
                "Name the proposal that you have read by its `id`: another one may have replaced it.",
                pointer: "/proposal"
            )
        }
        return id
    }

    /// A text of 1 to `mostBytes` bytes, not only blanks.
    ///
    /// - Throws: `malformed-record` if it is missing or not such a text.
    package func text(_ name: String, mostBytes: Int) throws(IntakeProblem) -> String {
        guard let text = object[name]?.string, Reason.accepts(text, mostBytes: mostBytes) else {
            throw IntakeProblem(.malformedRecord, "It is a text of 1 to \(mostBytes) bytes.", pointer: "/\(name)")
        }
        return text
    }
}
