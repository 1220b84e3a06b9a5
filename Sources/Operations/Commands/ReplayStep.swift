package import Canonical
package import Intake
package import Redaction
package import ReplayRules

/// An operator's step on a plan, without the action that its route names.
package struct ReplayStep: Sendable, Hashable {
    package var reason: Reason
    /// The version that the plan must still have; nil if it may have any.
    package var version: Int64?

    /// `{"reason": "...", "expectedVersion": 3}`.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["reason", "expectedVersion"])
        reason = try body.reason()
        version = try body.expectedVersion()
    }
}

extension ReplayAction {
    /// The actions of operators, by the names of their routes.
    package static let named: [(name: String, action: ReplayAction)] = [
        ("approve", .approve), ("reject", .reject), ("start", .start), ("pause", .pause), ("resume", .resume),
        ("stop", .stop),
    ]
}

/// The card token of a payment, as a body names it.
package struct CardTokenRequest: Sendable {
    package var token: String
    /// The proposal that the token approves; nil if it approves none.
    package var proposal: UUID128?

    /// `{"token": "..."}`, with `proposal` to approve one.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["token", "proposal"])
        guard let token = body["token"]?.string else {
            throw IntakeProblem(.malformedRecord, "Send an object with `token`.")
        }
        self.token = token
        proposal = body["proposal"] == nil ? nil : try body.proposal()
    }
}
