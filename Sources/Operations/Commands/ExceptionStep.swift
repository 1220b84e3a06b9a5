package import Canonical
package import Intake
package import Matching
import Payments
package import Redaction

/// An operator's step on an exception.
package struct ExceptionStep: Sendable, Hashable {
    package var action: ExceptionAction
    package var reason: Reason
    /// The version that the exception must still have; nil if it may have any.
    package var version: Int64?

    /// `{"reason": "...", "expectedVersion": 3}` with the members of the action.
    ///
    /// - Parameter name: One of `ExceptionAction.names`.
    /// - Throws: `malformed-record`.
    package init(_ name: String, reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ExceptionAction.members(of: name))
        action = try ExceptionAction(name, body)
        reason = try body.reason()
        version = try body.expectedVersion()
    }
}

extension ExceptionAction {
    /// The names of the actions, as in the routes.
    package static let names = ["assign", "note", "resolve", "approve", "reject", "reopen"]

    /// An action without a reason.
    ///
    /// - Throws: `malformed-record` if there is no such action, or it lacks a member that it needs.
    package init(_ name: String, reading json: JSONValue) throws(IntakeProblem) {
        try IntakeProblem.checkText(of: json)
        try self.init(name, try CommandBody(json, members: Self.members(of: name)))
    }

    fileprivate static func members(of name: String) -> [String] {
        let common = ["reason", "expectedVersion"]
        return switch name {
        case "assign": common + ["assignee"]
        case "resolve": common + ["resolution"]
        case "approve": common + ["proposal"]
        default: common
        }
    }

    fileprivate init(_ name: String, _ body: CommandBody) throws(IntakeProblem) {
        switch name {
        case "assign": self = .assign(try Self.assignee(body))
        case "note": self = .note
        case "resolve": self = .resolve(try ExceptionResolution(body))
        case "approve": self = .approve(try body.proposal())
        case "reject": self = .reject
        case "reopen": self = .reopen
        default: throw IntakeProblem(.malformedRecord, "There is no such action.")
        }
    }

    /// `{"assignee": "dana"}`; null removes the assignee.
    private static func assignee(_ body: CommandBody) throws(IntakeProblem) -> String? {
        switch body["assignee"] {
        case .some(.null): return nil
        case .some(.string(let name)) where Reason.accepts(name, mostBytes: 200): return name
        default:
            throw IntakeProblem(
                .malformedRecord,
                "An assignee is a text of 1 to 200 bytes, or null for none.",
                pointer: "/assignee"
            )
        }
    }
}

extension ExceptionResolution {
    /// `{"resolution": {"kind": "written-off"}}`.
    fileprivate init(_ body: CommandBody) throws(IntakeProblem) {
        let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let object = body["resolution"]?.object,
            let kind = object["kind"]?.string.flatMap({ Kind(rawValue: $0) })
        else {
            throw IntakeProblem(
                .malformedRecord,
                "A resolution is an object with `kind`: one of \(kinds).",
                pointer: "/resolution/kind"
            )
        }
        let known: [String] =
            switch kind {
            case .matched: ["lines", "movements"]
            case .corrected: ["correction"]
            case .writtenOff, .timing: []
            }
        if let other = object.members.first(where: { $0.key != "kind" && !known.contains($0.key) }) {
            throw IntakeProblem(
                .malformedRecord,
                "A resolution of kind \(kind.rawValue) has no `\(other.key.prefix(64))`.",
                pointer: "/resolution"
            )
        }
        self.init(kind)
        switch kind {
        case .matched: (lines, movements) = try Self.match(object)
        case .corrected:
            guard let text = object["correction"]?.string, Reason.accepts(text, mostBytes: 200) else {
                throw IntakeProblem(
                    .malformedRecord,
                    "Say what puts it right, in 1 to 200 bytes.",
                    pointer: "/resolution/correction"
                )
            }
            correction = text
        case .writtenOff, .timing: break
        }
    }

    private static func match(_ object: JSONObject) throws(IntakeProblem) -> ([UUID128], [MovementName]) {
        let lines = object["lines"]?.array?.compactMap { $0.string.flatMap { UUID128($0) } } ?? []
        let movements =
            object["movements"]?.array?.compactMap { movement in
                movement["transaction"]?.string.flatMap { UUID128($0) }.flatMap { id in
                    movement["movement"]?.string.map { MovementName(transaction: id, movement: $0) }
                }
            } ?? []
        guard !lines.isEmpty, lines.count == object["lines"]?.array?.count, !movements.isEmpty,
            movements.count == object["movements"]?.array?.count
        else {
            throw IntakeProblem(
                .malformedRecord,
                "A match names `lines` by their ids, and `movements` by `transaction` and `movement`.",
                pointer: "/resolution"
            )
        }
        return (lines, movements)
    }
}
