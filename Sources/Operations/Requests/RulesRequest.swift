import Access
package import Canonical
import Intake
import Ledger
package import Matching
import Payments
import Projections
import Reconciliation

/// Other rules, as somebody asks for them.
package struct RulesRequest: Sendable, Hashable {
    package var rules: MatchingRules
    package var reason: String
    /// The version the rules must still have.
    package var version: Int64?

    /// `{"rules": {...}, "reason": "...", "expectedVersion": 3}`; the version may be left out.
    ///
    /// - Throws: `RulesProblem` for rules that cannot be, `IntakeProblem` for the rest.
    package init(_ json: JSONValue) throws {
        let known = ["rules", "reason", "expectedVersion"]
        guard let body = json.object, body.members.allSatisfy({ known.contains($0.key) }), let reported = body["rules"]
        else {
            throw IntakeProblem(.malformedRecord, "Send an object with `rules` and `reason`.")
        }
        guard let reason = body["reason"]?.string.flatMap(Reason.init) else { throw IntakeProblem.noReason }
        if let version = body["expectedVersion"] {
            guard let number = version.int64, number >= 0 else {
                throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
            }
            self.version = number
        }
        self.reason = reason.text
        rules = try RulesCommands.rules(reported)
    }
}
