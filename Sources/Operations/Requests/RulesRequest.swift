import Access
package import Canonical
import Composition
import Intake
package import Matching
import Payments
import Projections
import Reconciliation
package import Redaction

/// A request to change the reconciliation rules.
package struct RulesRequest: Sendable, Hashable {
    package var rules: MatchingRules
    package var reason: Reason
    /// The version that the rules must still have; nil if they may have any.
    package var version: Int64?

    /// `{"rules": {...}, "reason": "...", "expectedVersion": 3}`; the version may be left out.
    ///
    /// - Throws: `RulesProblem` for invalid rules, `IntakeProblem` for the rest.
    package init(_ json: JSONValue) throws {
        let body = try CommandBody(json, members: ["rules", "reason", "expectedVersion"])
        guard let reported = body["rules"] else {
            throw IntakeProblem(.malformedRecord, "Send an object with `rules` and `reason`.")
        }
        reason = try body.reason()
        version = try body.expectedVersion()
        rules = try RulesCommands.rules(reported)
    }
}
