import Access
package import Canonical
import EventLog
package import HTTPEdge
import HTTPTypes
package import Intake
package import Ledger
import Payments
package import Projections
package import Replay

extension API {
    private static let endingLimit = 16 << 10

    func addDoubts(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/doubts", Self.streamable) { try await doubts($0) }
        router.on(.get, "/v1/doubts/{id}") { try await doubt($0) }
        // A gateway may take minutes; nobody else waits for it.
        router.on(.post, "/v1/doubts/{id}/ask", RouteOptions(bodyLimitBytes: 1_024, span: .stream)) {
            try await ask($0)
        }
        router.on(.post, "/v1/doubts/{id}/end", RouteOptions(bodyLimitBytes: Self.endingLimit)) { try await end($0) }
    }

    private func doubts(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            (.doubts(try DoubtWorklist.Filter(&query), try DoubtQuery.Order(&query)), nil)
        } document: { list, found in
            guard case .doubts(let filter, _) = list else { return page(found.items, next: found.next) }
            let risk = try await ledger.worklist.risk(of: principal.tenant, matching: filter)
            return page(found.items, next: found.next, after: ["totals": .array(risk.map(\.json))])
        }
    }

    private func doubt(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        try await waitForWrites(&query, in: "transactions", isAboutOne: moment == nil)
        try query.finish()
        guard let found = try await ledger.doubt(id, of: principal.tenant, at: moment) else { throw Problem.notFound }
        return .json(found)
    }

    /// Asks now, whether or not it is time to.
    private func ask(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        try request.query.finish()
        let id = try transactionID(request)
        let reported = try await ledger.ask(
            id,
            sender: Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                holder: principal.holder
            )
        )
        guard let reported else { throw Problem.notFound }
        return .json(reported.json(at: ledger.clock.now()))
    }

    private func end(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let id = try transactionID(request)
        guard let body = try await request.json().object else {
            throw IntakeProblem(.malformedRecord, "Send an object with `as`, `evidence` and `reason`.")
        }
        let (ending, version) = try Self.ending(body)
        let outcome = try await ledger.doubtCommands.end(
            id,
            ending,
            version: version,
            idempotencyKey: key,
            sender: Sender(
                tenant: principal.tenant,
                actor: principal.actor,
                correlation: request.id,
                holder: principal.holder
            )
        )
        try await wait(for: outcome.position, in: "transactions")
        guard let found = try await ledger.worklist.item(id, of: principal.tenant) else {
            throw Problem.projectionBehind()
        }
        var response = EdgeResponse.json(found.detail(at: ledger.clock.now()), status: .created)
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// What somebody says about a doubt.
    ///
    /// - Throws: `malformed-record`, with the place of what is wrong.
    package static func ending(
        _ body: JSONObject
    ) throws(IntakeProblem) -> (ending: DoubtEnding, version: Int64?) {
        let known = ["as", "evidence", "reason", "amount", "expectedVersion"]
        if let other = body.members.first(where: { !known.contains($0.key) }) {
            throw IntakeProblem(
                .malformedRecord,
                "`\(other.key.prefix(64))` is not known here. Known: \(known.joined(separator: ", "))."
            )
        }
        guard let outcome = body["as"]?.string.flatMap({ DoubtEnding.Outcome(rawValue: $0) }) else {
            let names = DoubtEnding.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            throw IntakeProblem(.malformedRecord, "`as` is one of \(names).", pointer: "/as")
        }
        func text(_ name: String, _ what: String) throws(IntakeProblem) -> String {
            guard let text = body[name]?.string, (1...DoubtCommands.longestText).contains(text.utf8.count),
                text.contains(where: { !$0.isWhitespace }), !text.utf8.contains(0)
            else {
                throw IntakeProblem(
                    .malformedRecord,
                    "\(what) is a text of 1 to \(DoubtCommands.longestText) bytes.",
                    pointer: "/\(name)"
                )
            }
            return text
        }
        var ending = DoubtEnding(
            outcome,
            evidence: try text("evidence", "What was seen, and where,"),
            reason: try text("reason", "A reason")
        )
        if let reported = body["amount"] {
            guard let value = reported["value"]?.int64, value > 0,
                let currency = reported["currency"]?.string.flatMap({ Currency(alpha: $0) }),
                reported.object?.count == 2
            else {
                throw IntakeProblem(
                    .malformedRecord,
                    "An amount has a `value` above zero, in minor units, and a `currency`.",
                    pointer: "/amount"
                )
            }
            ending.amount = Money(value, currency)
        }
        var version: Int64?
        if let reported = body["expectedVersion"] {
            guard let number = reported.int64, number >= 0 else {
                throw IntakeProblem(.malformedRecord, "A version is 0 or more.", pointer: "/expectedVersion")
            }
            version = number
        }
        return (ending, version)
    }
}

/// What came of asking about a payment.
package struct DoubtQueryResult: Sendable {
    /// Stable names.
    package enum Result: String, Sendable, Hashable, CaseIterable {
        /// Its gateway was asked, or was sent what takes the payment back.
        case asked
        /// A call is under way, or somebody else has just called.
        case underWay = "under-way"
        /// There is nobody to ask.
        case noGateway = "no-gateway"
        /// Its outcome is known.
        case nothingInDoubt = "nothing-in-doubt"
    }

    package var result: Result
    package var doubt: DoubtItem

    package func json(at now: Timestamp) -> JSONValue {
        ["result": .string(result.rawValue), "doubt": doubt.detail(at: now)]
    }
}

extension Ledger {
    /// How it stands with one payment, with every call that was made about it; nil where there is none, or was none then.
    ///
    /// - Parameter moment: How it stood then, by its events up to then and the rules of that day; nil for now.
    /// - Throws: `RuleBookError`; what reading throws, and an event that cannot be read.
    package func doubt(_ id: UUID128, of tenant: String, at moment: Moment? = nil) async throws -> JSONValue? {
        guard let moment else {
            return try await worklist.item(id, of: tenant)?.detail(at: clock.now())
        }
        let history = try await reader.stream(StreamName.transaction(id), of: tenant).filter(moment.contains)
        guard let view = try await transaction(id, of: tenant, at: moment) else { return nil }
        let time = try await self.moment(moment.asked, at: try await position(of: moment))
        return try worklist.item(try PaymentInDoubt(view, of: tenant), history, at: time).detail(at: time)
    }

    /// Asks the gateway of a payment in doubt, whether or not it is time to.
    ///
    /// - Returns: Nil where there is no such payment.
    /// - Throws: `IntakeProblem` where the log does not take it; what reading throws.
    package func ask(_ transaction: UUID128, sender: Sender) async throws -> DoubtQueryResult? {
        let result: DoubtQueryResult.Result
        do {
            result =
                switch try await resolver.resolve(transaction, isForced: true, sender: sender) {
                case .noSuchPayment: .nothingInDoubt
                case .nothingInDoubt: .nothingInDoubt
                case .asked: .asked
                case .waiting: .underWay
                case .person, .noGateway: .noGateway
                }
        } catch let error as AppendError {
            throw IntakeProblem(appending: error)
        }
        return try await worklist.item(transaction, of: sender.tenant).map {
            DoubtQueryResult(result: result, doubt: $0)
        }
    }
}

extension DoubtWorklist.Filter {
    /// Reads `vendor`, `merchant`, `terminal`, `currency`, `older_than` and `needs_person`.
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init(try DoubtQuery.Filter(&query))
        payments.currency = try query.text("currency")
        olderThanSeconds = try query.integer("older_than", in: 0...3_155_760_000)
        needsPerson = try query.flag("needs_person")
    }
}

extension DoubtQuery.Order {
    /// Reads `sort`: by age where nothing is said.
    package init(_ query: inout QueryReader) throws(Problem) {
        self = try query.choice("sort", of: DoubtQuery.Order.self) ?? .age
    }
}

extension Problem {
    /// The answer to the end of a doubt that was not recorded.
    init(_ refusal: DoubtCommands.Refusal) {
        let (status, title): (Int, String) =
            switch refusal {
            case .noSuchPayment: (404, "There is no such payment")
            case .nothingInDoubt: (409, "Nothing of the payment is in doubt")
            case .callUnderWay: (409, "A gateway is being called about the payment")
            case .amountMissing: (422, "Nobody has told the amount")
            case .amountImpossible: (422, "The amount cannot be of this payment")
            case .endImpossible: (422, "What is in doubt cannot end like this")
            }
        guard refusal != .noSuchPayment else {
            self = .notFound
            return
        }
        self.init(status: status, code: refusal.rawValue, title: title)
        switch refusal {
        case .amountMissing: detail = "Send `amount`: what was approved, or what the follow-up was about."
        case .endImpossible:
            detail =
                "Of some follow-ups only a document can tell how much moved: take it in. Approved can be said of a payment, a "
                + "void, a reversal, a capture and a refund, reversed of a payment and of what takes it back."
        case .callUnderWay: detail = "Its answer comes first, or the time that the call can take is over."
        default: break
        }
    }
}
