import Access
package import Canonical
import HTTPEdge
import HTTPTypes
package import Intake
import Ledger
package import Matching
import Operations
import Payments
import Projections
import Reconciliation

extension API {
    private static let actionLimit = 64 << 10

    func addExceptions(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/exceptions", Self.streamable) { try await exceptions($0) }
        router.on(.get, "/v1/exceptions/{id}") { try await exception($0) }
        let options = RouteOptions(bodyLimitBytes: Self.actionLimit)
        for (name, read) in Self.actions {
            router.on(.post, "/v1/exceptions/{id}/\(name)", options) { try await act($0, read) }
        }
    }

    private func exceptions(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let position = try await pastPosition(request, in: "reconciliation")
        return try await list(request, of: principal.tenant) { query throws(Refusal) in
            let time = try Moment(&query)?.asked
            return (.exceptions(try ExceptionFilter(&query), at: position, time: time), nil)
        } document: { _, found in
            page(found.items, next: found.next, after: pastHead(position))
        }
    }

    private func exception(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "reconciliation", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        guard let found = try await ledger.exception(id, of: principal.tenant, at: position, time: moment?.asked) else {
            throw Problem.notFound
        }
        return .json(found)
    }

    // MARK: What people do

    /// What the action of a route is, and which members its body may have beside `reason` and `expectedVersion`.
    private typealias ReadAction = @Sendable (JSONObject) throws(IntakeProblem) -> ExceptionAction

    private static let actions: [(String, ReadAction)] = [
        ("assign", { body throws(IntakeProblem) in .assign(try Self.assignee(body)) }),
        ("note", { body throws(IntakeProblem) in try Self.plain(.note, body) }),
        ("resolve", { body throws(IntakeProblem) in .resolve(try Self.resolution(body)) }),
        ("approve", { body throws(IntakeProblem) in try Self.plain(.approve, body) }),
        ("reject", { body throws(IntakeProblem) in try Self.plain(.reject, body) }),
        ("reopen", { body throws(IntakeProblem) in try Self.plain(.reopen, body) }),
    ]

    /// What somebody wants to do about an exception, by the name of its route.
    ///
    /// - Parameter body: As it is sent, with or without its reason.
    /// - Throws: `IntakeProblem` for what is no such action, or lacks what it needs.
    package static func exceptionAction(
        _ name: String,
        _ body: JSONObject
    ) throws(IntakeProblem) -> ExceptionAction {
        guard let read = actions.first(where: { $0.0 == name })?.1 else {
            throw IntakeProblem(.malformedRecord, "There is no such action.")
        }
        try IntakeProblem.checkText(of: .object(body))
        return try read(body)
    }

    private func act(_ request: Request, _ read: ReadAction) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        guard let body = try await Self.said(request).object else {
            throw IntakeProblem(.malformedRecord, "Send an object with `reason`.")
        }
        let action = try read(body)
        guard let reason = body["reason"]?.string.flatMap(Reason.init) else { throw IntakeProblem.noReason }
        var version: Int64?
        if let reported = body["expectedVersion"] {
            guard let number = reported.int64, number >= 0 else {
                throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
            }
            version = number
        }
        let outcome = try await ledger.exceptionCommands.act(
            action,
            on: id,
            reason: reason.text,
            version: version,
            idempotencyKey: key,
            sender: Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                holder: principal.holder
            ),
            waitLimit: ledger.waitLimit
        )
        var response = EdgeResponse.json(try outcome.exception.json(at: ledger.clock.now()), status: .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    private static func plain(
        _ action: ExceptionAction,
        _ body: JSONObject
    ) throws(IntakeProblem) -> ExceptionAction {
        try check(body, [])
        return action
    }

    private static func check(_ body: JSONObject, _ names: [String]) throws(IntakeProblem) {
        let known = ["reason", "expectedVersion"] + names
        if let other = body.members.first(where: { !known.contains($0.key) }) {
            throw IntakeProblem(
                .malformedRecord,
                "`\(other.key.prefix(64))` is not known here. Known: \(known.joined(separator: ", "))."
            )
        }
    }

    /// `{"assignee": "dana"}`, or null for nobody.
    private static func assignee(_ body: JSONObject) throws(IntakeProblem) -> String? {
        try check(body, ["assignee"])
        switch body["assignee"] {
        case .some(.null): return nil
        case .some(.string(let name)) where Reason.accepts(name, mostBytes: 200): return name
        default:
            throw IntakeProblem(
                .malformedRecord,
                "An assignee is a text of 1 to 200 bytes, or null for nobody.",
                pointer: "/assignee"
            )
        }
    }

    /// `{"resolution": {"kind": "written-off"}}`.
    private static func resolution(_ body: JSONObject) throws(IntakeProblem) -> ExceptionResolution {
        try check(body, ["resolution"])
        let kinds = ExceptionResolution.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        guard let object = body["resolution"]?.object,
            let kind = object["kind"]?.string.flatMap({ ExceptionResolution.Kind(rawValue: $0) })
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
        var resolution = ExceptionResolution(kind)
        switch kind {
        case .matched:
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
            resolution.lines = lines
            resolution.movements = movements
        case .corrected:
            guard let correction = object["correction"]?.string, Reason.accepts(correction, mostBytes: 200) else {
                throw IntakeProblem(
                    .malformedRecord,
                    "Say what puts it right, in 1 to 200 bytes.",
                    pointer: "/resolution/correction"
                )
            }
            resolution.correction = correction
        case .writtenOff, .timing: break
        }
        return resolution
    }
}
