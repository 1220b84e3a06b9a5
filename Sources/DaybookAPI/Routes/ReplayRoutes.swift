package import Access
package import Canonical
import EventLog
package import HTTPEdge
import HTTPTypes
import Intake
package import Ledger
import Payments
package import Projections
package import Replay
package import ReplayRules
import Vendors

extension API {
    private static let replayLimit = 128 << 10
    /// Who may make plans and carry them out.
    package static let replaying: [Scope] = [.replayPlan, .replayApprove]

    func addReplays(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/replays", Self.streamable) { try await replays($0) }
        router.on(.post, "/v1/replays", .init(bodyLimitBytes: Self.replayLimit, span: .stream)) {
            try await planReplay($0)
        }
        router.on(.get, "/v1/replays/{id}") { try await replay($0) }
        router.on(.get, "/v1/replays/{id}/items", Self.streamable) { try await replayItems($0) }
        for (name, action) in Self.replayActions {
            router.on(.post, "/v1/replays/{id}/\(name)", .init(bodyLimitBytes: 16 << 10)) {
                try await act($0, action)
            }
        }
        router.on(.get, "/v1/transactions/{id}/replay-history") { try await replayHistory($0) }
        router.on(.put, "/v1/transactions/{id}/card-token", .init(bodyLimitBytes: 4 << 10)) {
            try await keepToken($0)
        }
    }

    /// What may be done with a plan, by the names of the routes.
    package static let replayActions: [(String, ReplayAction)] = [
        ("approve", .approve), ("reject", .reject), ("start", .start), ("pause", .pause), ("resume", .resume),
        ("stop", .stop),
    ]

    // MARK: Reading

    private func replays(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            (.replays(try ReplayFilter(&query)), nil)
        }
    }

    private func replay(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        try await waitForWrites(&query, in: "replays")
        try query.finish()
        guard let found = try await ledger.replays.plan(id, of: principal.tenant) else { throw Problem.notFound }
        return .json(try found.json())
    }

    private func replayItems(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            (.replayItems(id, try ReplayItemFilter(&query)), nil)
        } exists: {
            try await ledger.replays.plan(id, of: principal.tenant) != nil
        }
    }

    private func replayHistory(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let asked = try ReplayHistoryRequest(&query)
        try query.finish()
        guard let found = try await ledger.replayHistory(of: id, tenant: principal.tenant, asked) else {
            throw Problem.notFound
        }
        return .json(found.json(of: id))
    }

    // MARK: Planning

    private func planReplay(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .replayPlan)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let asked = try PlanRequest(reading: try await request.json())
        let outcome = try await ledger.replayPlanner.plan(
            asked,
            idempotencyKey: key,
            sender: sender(principal, request),
            waitLimit: ledger.waitLimit
        )
        var response = try await answer(outcome.plan, outcome.position, outcome.isDuplicate, of: principal.tenant)
        response.fields[.location] = "/v1/replays/\(outcome.plan.text)"
        return response
    }

    private func sender(_ principal: Principal, _ request: Request) -> Sender {
        Sender(
            tenant: principal.tenant,
            actor: principal.actor,
            correlation: request.id,
            holder: principal.holder
        )
    }

    private func answer(
        _ id: UUID128,
        _ position: Int64,
        _ isDuplicate: Bool,
        of tenant: String
    ) async throws -> EdgeResponse {
        try await wait(for: position, in: "replays")
        guard let found = try await ledger.replays.plan(id, of: tenant) else { throw Problem.notFound }
        var response = EdgeResponse.json(try found.json(), status: .created)
        response.fields[.daybookPosition] = String(position)
        if isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    // MARK: Deciding

    private func act(_ request: Request, _ action: ReplayAction) async throws -> EdgeResponse {
        let principal = try principal(request, Self.replaying)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        guard let body = try await request.json().object,
            body.members.allSatisfy({ ["reason", "expectedVersion"].contains($0.key) })
        else { throw IntakeProblem(.malformedRecord, "Send an object with `reason`.") }
        let reason = try PlanRequest.reason(body)
        var version: Int64?
        if let reported = body["expectedVersion"] {
            guard let number = reported.int64, number >= 0 else {
                throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
            }
            version = number
        }
        let outcome = try await ledger.replayCommands.act(
            action,
            on: id,
            authority: ReplayAuthority(
                ReplayActor(name: principal.actor, holder: principal.holder),
                mayPlan: principal.scopes.contains(.replayPlan),
                mayApprove: principal.scopes.contains(.replayApprove)
            ),
            reason: reason,
            version: version,
            idempotencyKey: key,
            sender: sender(principal, request)
        )
        return try await answer(id, outcome.position, outcome.isDuplicate, of: principal.tenant)
    }

    // MARK: Tokens

    private func keepToken(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .intake)
        try request.query.finish()
        let id = try transactionID(request)
        guard let body = try await request.json().object, body.members.allSatisfy({ $0.key == "token" }),
            let token = body["token"]?.string
        else { throw IntakeProblem(.malformedRecord, "Send an object with `token`.") }
        guard try await ledger.reader.versions(ofTransactions: [id], tenant: principal.tenant)[id] != nil else {
            throw Problem.notFound
        }
        let until = try await ledger.cardTokenCommands.keep(token, of: id, sender: sender(principal, request))
        return .json(["transaction": .string(id.text), "keptUntil": .string(until.rfc3339)])
    }
}

extension PlanRequest {
    private static let members = [
        "filter", "transactions", "operation", "amount", "tip", "reason", "expiresInSeconds",
    ]

    /// `{"filter": {"status": "declined"}, "reason": "..."}`, or `transactions` in the place of the filter.
    ///
    /// - Throws: `IntakeProblem`; `Problem` for a filter the list of payments does not have.
    package init(reading json: JSONValue) throws {
        guard let body = json.object else {
            throw IntakeProblem(.malformedRecord, "Send an object with `filter` or `transactions`, and `reason`.")
        }
        if let other = body.members.first(where: { !Self.members.contains($0.key) }) {
            throw IntakeProblem(
                .malformedRecord,
                "`\(other.key.prefix(64))` is not known here. Known: \(Self.members.joined(separator: ", "))."
            )
        }
        let scope: Scope
        switch (body["filter"], body["transactions"]) {
        case (let filter?, nil): scope = try Self.filter(filter)
        case (nil, let named?): scope = .transactions(try Self.named(named))
        default:
            throw IntakeProblem(.malformedRecord, "One of `filter` and `transactions` is wanted.", pointer: "/filter")
        }
        var operation: ReplayOperation?
        if let reported = body["operation"] {
            guard let known = reported.string.flatMap(ReplayOperation.init(rawValue:)) else {
                let names = ReplayOperation.allCases.map(\.rawValue).joined(separator: ", ")
                throw IntakeProblem(.malformedRecord, "It is one of \(names).", pointer: "/operation")
            }
            operation = known
        }
        let amount = try Self.money("amount", body)
        let tip = try Self.money("tip", body)
        guard operation != nil || (amount == nil && tip == nil) else {
            throw IntakeProblem(.malformedRecord, "An amount is that of an operation.", pointer: "/operation")
        }
        var lifetime = Self.standardLifetime
        if let reported = body["expiresInSeconds"] {
            guard let seconds = reported.int64, Self.lifetimes.contains(seconds) else {
                throw IntakeProblem(
                    .malformedRecord,
                    "It is a whole number, \(Self.lifetimes.lowerBound) to \(Self.lifetimes.upperBound).",
                    pointer: "/expiresInSeconds"
                )
            }
            lifetime = seconds
        }
        self.init(
            scope,
            operation: operation,
            amount: amount,
            tip: tip,
            reason: try Self.reason(body),
            lifetimeSeconds: lifetime
        )
    }

    /// The reason that stands in a body.
    static func reason(_ body: JSONObject) throws(IntakeProblem) -> String {
        guard let reason = body["reason"]?.string, (1...longestReason).contains(reason.utf8.count),
            reason.contains(where: { !$0.isWhitespace }), !reason.utf8.contains(0)
        else {
            throw IntakeProblem(
                .malformedRecord,
                "A reason is a text of 1 to \(longestReason) bytes.",
                pointer: "/reason"
            )
        }
        return reason
    }

    private static func filter(_ json: JSONValue) throws -> Scope {
        guard let object = json.object else {
            throw IntakeProblem(
                .malformedRecord,
                "A filter is an object with the query parameters of the list of payments.",
                pointer: "/filter"
            )
        }
        let parameters = try object.members.map { member -> (name: String, value: String) in
            guard let value = member.value.string, !value.utf8.contains(0), !member.key.utf8.contains(0) else {
                throw IntakeProblem(.malformedRecord, "Every value is a text.", pointer: "/filter")
            }
            return (member.key, value)
        }
        return try filter(parameters)
    }

    /// A filter from the parameters of the list of payments.
    ///
    /// - Throws: `Problem`.
    package static func filter(_ parameters: [(name: String, value: String)]) throws -> Scope {
        var query = QueryReader(parameters)
        let filter = try TransactionFilter(&query)
        try query.finish()
        let scrubber = TextScrubber()
        let text = parameters.sorted { $0.name < $1.name }
            .map { "\($0.name)=\(scrubber.scrub($0.value).text)" }.joined(separator: "&")
        return .filter(filter, text: text)
    }

    private static func named(_ json: JSONValue) throws(IntakeProblem) -> [UUID128] {
        let ids = json.array?.compactMap { $0.string.flatMap { UUID128($0) } } ?? []
        guard (1...mostNamed).contains(ids.count), ids.count == json.array?.count, Set(ids).count == ids.count else {
            throw IntakeProblem(
                .malformedRecord,
                "They are the ids of 1 to \(mostNamed) payments, each once.",
                pointer: "/transactions"
            )
        }
        return ids
    }

    private static func money(_ name: String, _ body: JSONObject) throws(IntakeProblem) -> Money? {
        guard let reported = body[name] else { return nil }
        guard let value = reported["value"]?.int64, value >= 0, reported.object?.members.count == 2,
            let currency = reported["currency"]?.string.flatMap({ Currency(alpha: $0) })
        else {
            throw IntakeProblem(
                .malformedRecord,
                #"Money is {"value": 1340, "currency": "USD"}, in minor units."#,
                pointer: "/\(name)"
            )
        }
        return Money(value, currency)
    }
}

extension ReplayFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        status = try query.choice("status", of: ReplayStatus.self)
        transaction = try query.value("transaction", expected: "is the id of a payment") { UUID128($0) }
    }
}

extension ReplayItemFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        disposition = try query.choice("disposition", of: Disposition.Name.self)
        operation = try query.choice("operation", of: ReplayOperation.self)
        outcome = try query.choice("end", of: ReplayItemEnd.End.self)
        rule = try query.text("rule")
        transaction = try query.value("transaction", expected: "is the id of a payment") { UUID128($0) }
        isOpen = try query.flag("open")
    }
}

/// How a payment is gone through.
package struct ReplayHistoryRequest: Sendable {
    /// Up to then; everything if left out.
    package var moment: Moment?
    /// What would be asked for again; nil for the payment itself, or a reversal that is due.
    package var operation: ReplayOperation?
    /// `rule=value`.
    package var overrides: [String] = []

    package init(until moment: Moment? = nil, operation: ReplayOperation? = nil, overrides: [String] = []) {
        self.moment = moment
        self.operation = operation
        self.overrides = overrides
    }

    /// Reads `as_of`, `as_of_position`, `operation` and `what_if`.
    package init(_ query: inout QueryReader) throws(Problem) {
        moment = try Moment(&query)
        operation = try query.choice("operation", of: ReplayOperation.self)
        let others = try query.text("what_if", maximumBytes: 1024)
        overrides = others?.split(separator: ";", omittingEmptySubsequences: false).map { String($0) } ?? []
    }
}

extension Ledger {
    /// A payment event by event, and what would have been decided after each; nil where there is none.
    ///
    /// - Throws: `RuleBookError`; what reading the log throws, and an event that cannot be read.
    package func replayHistory(
        of id: UUID128,
        tenant: String,
        _ asked: ReplayHistoryRequest
    ) async throws -> ReplayHistory? {
        var events = try await reader.stream(StreamName.transaction(id), of: tenant)
        guard !events.isEmpty else { return nil }
        if let moment = asked.moment { events = events.filter(moment.contains) }
        return try ReplayHistory(
            events,
            operation: asked.operation,
            configured: replayRules,
            asksOnlyStandIns: asksOnlyStandIns,
            overrides: asked.overrides,
            now: asked.moment == nil ? clock.now() : nil
        )
    }
}

extension Problem {
    /// The answer where there is no plan.
    init(_ refusal: ReplayPlanner.Refusal) {
        switch refusal {
        case .behind: self = .projectionBehind()
        case .noSuchTransaction(let id):
            self.init(
                status: 422,
                code: "replay-no-such-transaction",
                title: "There is no such payment",
                detail: "\(id.text) is no payment."
            )
            extensions["pointer"] = "/transactions"
        case .tooLarge:
            self.init(
                status: 422,
                code: "replay-too-large",
                title: "The plan would be too large",
                detail: "A plan has at most \(ReplayPlanner.mostItems) items: narrow the filter."
            )
        case .nothingFound:
            self.init(status: 422, code: "replay-nothing-found", title: "Nothing matches the filter")
        }
    }

    /// The answer to a step that was not recorded.
    init(_ refusal: ReplayCommands.Refusal) {
        switch refusal {
        case .noSuchPlan: self = .notFound
        case .behind: self = .projectionBehind()
        case .refused(let reason):
            self.init(
                status: reason == .noRight ? 403 : 409,
                code: reason.rawValue,
                title: reason.title,
                detail: reason.detail
            )
        }
    }

    /// The answer to a token that is not kept.
    init(_ refusal: CardVault.Refusal) {
        let (status, title): (Int, String) =
            switch refusal {
            case .noVault: (409, "No key is configured to seal tokens with")
            case .cardNumber: (422, "It may be the number of a card, which is not kept")
            case .malformed: (422, "It is no token")
            }
        self.init(status: status, code: refusal.rawValue, title: title)
    }

    /// The answer to other rules that cannot be.
    init(_ error: RuleBookError) {
        self.init(
            status: 422,
            code: error.code.rawValue,
            title: "Nothing can be judged by these rules",
            detail: error.description
        )
    }
}

extension ReplayRefusal {
    package var title: String {
        switch self {
        case .incomplete: "The plan was never finished"
        case .noRight: "The key may not do this"
        case .ownPlan: "Another person has to approve it"
        case .unknownHolder: "It has to be known who holds the keys of who planned it and who approves it"
        case .abovePolicy: "It is too large to go without another person"
        case .aboveDailyPolicy: "Too much has gone without another person in the last 24 hours"
        case .alreadyApproved: "The plan was approved before"
        case .alreadyStarted: "The plan was started before"
        case .over: "The plan has come to its end"
        case .expired: "The plan has expired"
        case .movedOn: "Payments were told of since they were judged"
        case .nothingToDo: "Nothing in the plan may be asked for again"
        case .notApproved: "The plan is not approved"
        case .notRunning: "The plan does not run"
        case .notPaused: "The plan is not paused"
        case .itemsOpen, .unknownItem, .notActionable, .itemAttempted, .itemNotAttempted, .itemEnded, .itemMovedOn:
            "The plan is elsewhere"
        }
    }

    /// What can be done about it; nil where the title says all.
    package var detail: String? {
        switch self {
        case .ownPlan: "Whoever made a plan cannot approve it, whichever of their keys they use."
        case .noRight: "To approve takes the scope replay:approve, to carry out replay:plan or replay:approve."
        case .unknownHolder:
            "One person with two keys is one person: `daybook keys create --holder NAME` says whose a key is."
        case .aboveDailyPolicy: "Another person has to approve it, or it has to wait."
        case .abovePolicy: "Only plans that are small enough go without another person, as the service is configured."
        case .expired: "What was judged holds no longer: make another plan."
        case .movedOn: "What was judged of them may not hold any more: make another plan."
        case .nothingToDo: "Nothing of it is for a gateway; its items say what is in the way."
        case .incomplete: "Whoever made it was interrupted. Reject it, and make another one."
        default: nil
        }
    }
}
