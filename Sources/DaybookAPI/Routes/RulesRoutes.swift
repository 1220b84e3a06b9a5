import Access
package import Canonical
import HTTPEdge
import HTTPTypes
import Intake
package import Ledger
package import Matching
import Payments
import Projections
import Reconciliation

extension API {
    private static let rulesLimit = 256 << 10

    func addRules(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/reconciliation-rules") { try await rules($0) }
        router.on(.put, "/v1/reconciliation-rules", .init(bodyLimitBytes: Self.rulesLimit)) {
            try await changeRules($0)
        }
    }

    private func rules(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "reconciliation", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        return .json(try await ledger.rules(of: principal.tenant, at: position))
    }

    /// Records by which rules the tenant is reconciled from the next run on.
    private func changeRules(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let asked = try RulesRequest(try await request.json())
        // Whoever needs an approval must not be who says when one is needed.
        if try await ledger.reconciler.rules(of: principal.tenant).approvals != asked.rules.approvals {
            _ = try self.principal(request, .admin)
        }
        let outcome = try await ledger.rulesCommands.change(
            to: asked.rules,
            reason: asked.reason,
            version: asked.version,
            idempotencyKey: key,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id),
            waitLimit: ledger.waitLimit
        )
        try await wait(for: outcome.position, in: "reconciliation")
        let rules = try await ledger.rules(of: principal.tenant, at: outcome.position)
        var response = EdgeResponse.json(rules, status: .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }
}

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
        guard let reason = body["reason"]?.string, (1...RulesCommands.longestReason).contains(reason.utf8.count),
            reason.contains(where: { !$0.isWhitespace })
        else {
            throw IntakeProblem(
                .malformedRecord,
                "A reason is a text of 1 to \(RulesCommands.longestReason) bytes.",
                pointer: "/reason"
            )
        }
        if let version = body["expectedVersion"] {
            guard let number = version.int64, number >= 0 else {
                throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
            }
            self.version = number
        }
        self.reason = reason
        rules = try RulesCommands.rules(reported)
    }
}

extension Ledger {
    /// By which rules a tenant is reconciled, with their version: 0 for the standard ones, which nobody has said.
    ///
    /// - Parameter position: Those that held when everything up to there was in; nil for now.
    package func rules(of tenant: String, at position: Int64? = nil) async throws -> JSONValue {
        let found = try await reconciliationQuery.rules(of: tenant, at: position)
        // What rules that were told before do not say is written as it holds today.
        let rules = try found.map { found in
            try JSONValueDecoder().decode(RulesChange.self, from: JSONValue(parsing: found.reported.utf8)).rules
        }
        var object: JSONObject = ["version": .number(.init(found?.version ?? 0))]
        if let found {
            object["position"] = .number(.init(found.position))
            object["changedAt"] = .string(found.at.rfc3339)
            object["changedBy"] = .string(found.by)
            object["reason"] = .string(found.reason)
        }
        object["digest"] = .string(try Reconciler.digest(of: rules ?? MatchingRules()))
        object["rules"] = try JSONValueEncoder().encode(rules ?? MatchingRules())
        object["remarks"] = .array((rules ?? MatchingRules()).remarks.map(\.json))
        return .object(object)
    }
}

extension RuleRemark {
    fileprivate var json: JSONValue {
        ["rule": .string(rule), "code": .string(code.rawValue), "detail": .string(code.detail)]
    }
}

extension Problem {
    /// The answer to rules that are not kept.
    init(_ problem: RulesProblem) {
        self.init(
            status: 422,
            code: problem.code.rawValue,
            title: "Nothing can be reconciled by these rules",
            detail: problem.detail
        )
        extensions["pointer"] = .string("/rules" + problem.pointer)
    }
}
