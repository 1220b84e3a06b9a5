import Access
import Canonical
import EventLog
package import HTTPEdge
import HTTPTypes
package import Intake
package import Ledger
import Matching
import Payments
package import Projections
package import Reconciliation

extension API {
    private static let closingLimit = 16 << 10

    func addPeriods(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/periods", Self.streamable) { try await periods($0) }
        router.on(.post, "/v1/periods", .init(bodyLimitBytes: Self.closingLimit)) { try await closePeriod($0) }
        router.on(.get, "/v1/periods/{id}") { try await period($0) }
        router.on(.post, "/v1/periods/{id}/reopen", .init(bodyLimitBytes: Self.closingLimit)) {
            try await reopenPeriod($0)
        }
        router.on(.get, "/v1/periods/{id}/changes", Self.streamable) { try await periodChanges($0) }
    }

    private func periods(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let position = try await pastPosition(request, in: "reconciliation")
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            _ = try Moment(&query)
            return (.periods(try PeriodFilter(&query), at: position), nil)
        } document: { _, found in
            page(found.items, next: found.next, after: pastHead(position))
        }
    }

    private func period(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        let deadline = self.deadline
        try await waitForWrites(&query, in: "reconciliation", until: deadline)
        try query.finish()
        let position = try await position(of: moment, in: "reconciliation", until: deadline)
        return .json(try await period(id, of: principal.tenant, at: position).json())
    }

    private func period(_ id: UUID128, of tenant: String, at position: Int64? = nil) async throws -> PeriodView {
        guard let found = try await ledger.reconciliationQuery.period(id, of: tenant, at: position) else {
            throw Problem.notFound
        }
        return found
    }

    /// `{"merchant": "8846", "day": "2026-03-01", "reason": "..."}`.
    private func closePeriod(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let body = try Self.members(["merchant", "day", "reason"], try await Self.said(request))
        let sender = Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        let outcome = try await ledger.closePeriod(
            merchant: try Self.text("merchant", body, limit: 256),
            day: try Self.text("day", body, limit: 10),
            reason: try Self.text("reason", body, limit: PeriodCommands.longestReason),
            idempotencyKey: key,
            sender: sender,
            waitLimit: ledger.waitLimit
        )
        return try await answer(outcome, of: principal.tenant)
    }

    private func reopenPeriod(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.reconciling)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let found = try await period(try transactionID(request), of: principal.tenant)
        let body = try Self.members(["reason"], try await Self.said(request))
        let outcome = try await ledger.periodCommands.reopen(
            merchant: found.merchant,
            day: found.day,
            reason: try Self.text("reason", body, limit: PeriodCommands.longestReason),
            idempotencyKey: key,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        )
        return try await answer(outcome, of: principal.tenant)
    }

    private func answer(_ outcome: PeriodCommands.Outcome, of tenant: String) async throws -> EdgeResponse {
        try await wait(for: outcome.position, in: "reconciliation")
        var response = EdgeResponse.json(try await period(outcome.period, of: tenant).json(), status: .created)
        response.fields[.location] = "/v1/periods/\(outcome.period.text)"
        response.fields[.daybookPosition] = String(outcome.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// What somebody says, as JSON that can be kept.
    static func said(_ request: Request) async throws -> JSONValue {
        let json = try await request.json()
        try IntakeProblem.checkText(of: json)
        return json
    }

    static func members(_ names: [String], _ json: JSONValue) throws(IntakeProblem) -> JSONObject {
        guard let object = json.object, object.members.allSatisfy({ names.contains($0.key) }) else {
            throw IntakeProblem(.malformedRecord, "Send an object with \(names.joined(separator: ", ")).")
        }
        return object
    }

    static func text(_ name: String, _ body: JSONObject, limit: Int) throws(IntakeProblem) -> String {
        guard let text = body[name]?.string, (1...limit).contains(text.utf8.count),
            text.contains(where: { !$0.isWhitespace })
        else {
            throw IntakeProblem(.malformedRecord, "It is a text of 1 to \(limit) bytes.", pointer: "/\(name)")
        }
        return text
    }
}

extension PeriodFilter {
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        merchant = try query.text("merchant")
        status = try query.choice("status", of: Status.self)
        from = try query.value("from", expected: "is a day, as 2026-03-01") { CivilDate($0) }
        to = try query.value("to", expected: "is a day, as 2026-03-01") { CivilDate($0) }
    }
}

extension Ledger {
    /// Closes a business day of a merchant by its own clocks: what it comes to now, and what is open about it.
    ///
    /// - Parameters:
    ///   - day: `2026-03-01`.
    ///   - waitLimit: How long to wait for the read models.
    /// - Throws: `PeriodCommands.Refusal`, `IntakeProblem`, `Problem` where the read models are behind; `TotalsError`.
    package func closePeriod(
        merchant: String,
        day: String,
        reason: String,
        idempotencyKey: String?,
        sender: Sender,
        waitLimit: Duration
    ) async throws -> PeriodCommands.Outcome {
        try IntakeProblem.checkText(of: .string(merchant))
        // The name is recorded: it must not be a card number.
        guard MerchantCommands.isName(merchant) else {
            throw IntakeProblem(
                .malformedRecord,
                "A merchant has 1 to 256 bytes, and no card data.",
                pointer: "/merchant"
            )
        }
        let position = try await reader.head()
        for name in ["batches", "merchants", "reconciliation", "statements", "transactions"] {
            guard try await readModels.wait(for: name, toReach: position, timeout: waitLimit) else {
                throw Problem.projectionBehind()
            }
        }
        guard try await merchants.isKnown(merchant, of: sender.tenant) else {
            throw PeriodCommands.Refusal.unknownMerchant
        }
        let days = try await days(.init(), merchant: merchant, of: sender.tenant, at: position)
        guard let date = CivilDate(day), let interval = days.interval(of: day) else {
            throw IntakeProblem(.malformedRecord, "A day is as 2026-03-01.", pointer: "/day")
        }
        guard interval.end <= clock.now() else { throw PeriodCommands.Refusal.notOver }
        var filter = TotalsFilter()
        filter.merchant = merchant
        filter.occurredFrom = interval.start
        filter.occurredBefore = interval.end
        let totals = try await totals.totals(of: sender.tenant, by: [.currency], matching: filter, at: position)
        let carried = try await reconciliationQuery.open(
            of: sender.tenant,
            merchant: merchant,
            upTo: date,
            at: position,
            by: days
        )
        let closing = PeriodClosing(
            merchant: merchant,
            day: day,
            zone: days.zone.name,
            cutoff: days.cutoff,
            position: position,
            totals: totals.map(PeriodTotal.init),
            carried: carried.map {
                CarriedExceptions(
                    exceptionClass: $0.exceptionClass,
                    currency: $0.currency,
                    count: $0.count,
                    amount: $0.amount
                )
            },
            reason: reason
        )
        return try await periodCommands.close(closing, idempotencyKey: idempotencyKey, sender: sender)
    }
}

extension Problem {
    /// The answer to a day that was not closed, or not opened again.
    init(_ refusal: PeriodCommands.Refusal) {
        let title =
            switch refusal {
            case .alreadyClosed: "The day was closed before"
            case .notClosed: "The day is not closed"
            case .notOver: "The day has not ended by the merchant's clocks"
            case .unknownMerchant: "Nothing is known of the merchant"
            }
        self.init(status: refusal == .unknownMerchant ? 422 : 409, code: refusal.rawValue, title: title)
        if refusal == .unknownMerchant {
            detail = "No payment and no line of a statement names it; PUT /v1/merchants/{merchant} describes it."
            extensions["pointer"] = "/merchant"
        }
    }
}
