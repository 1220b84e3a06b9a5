import Access
package import Canonical
package import EventLog
package import HTTPEdge
import HTTPTypes
import Intake
package import Ledger
import Payments
package import Projections

extension API {
    func addTransactions(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/transactions", Self.streamable) { try await transactions($0) }
        router.on(.get, "/v1/transactions/{id}") { try await transaction($0) }
        router.on(.get, "/v1/transactions/{id}/events", Self.streamable) { try await transactionEvents($0) }
    }

    private func transactions(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let position = try await pastPosition(request, in: "transactions")
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            _ = try Moment(&query)
            return (.transactions(try TransactionFilter(&query), try TransactionOrder(&query), at: position), nil)
        } document: { _, found in
            page(found.items, next: found.next, after: pastHead(position))
        }
    }

    private func transaction(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let id = try transactionID(request)
        var query = request.query
        let moment = try Moment(&query)
        try await waitForWrites(&query, in: "transactions", isAboutOne: moment == nil)
        try query.finish()
        if let moment {
            guard let found = try await ledger.transaction(id, of: principal.tenant, at: moment) else {
                throw Problem.notFound
            }
            return try versioned(request, found.state.version) { .json(try found.json()) }
        }
        guard let found = try await ledger.transactions.transaction(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try versioned(request, found.version) { .bytes(Array(found.json.utf8), type: "application/json") }
    }

    private func transactionEvents(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read, .audit)
        let id = try transactionID(request)
        return try await list(request, of: principal.tenant) { query throws(Problem) in
            (.timeline(id), nil)
        } exists: {
            try await !ledger.reader.stream(StreamName.transaction(id), of: principal.tenant, limit: 1).isEmpty
        }
    }

    /// What cannot be an id is nobody's: 404, like an id of another tenant.
    func transactionID(_ request: Request) throws(Problem) -> UUID128 {
        guard let id = UUID128(try request.parameter("id")) else { throw .notFound }
        return id
    }

    /// Changes with the versions of the read models that answers with an entity tag come from.
    private static let rules = ["transactions", "receipts"].compactMap { ReadModels.named($0)?.version }.reduce(0, +)

    /// Of an answer with an entity tag: its reader may keep it, and asks whether it is still good.
    static let revalidated = "private, no-cache"

    /// Answers with an entity tag, or 304 when the client has this version already.
    func versioned(
        _ request: Request,
        _ version: Int64,
        with addition: String? = nil,
        _ answer: () throws -> EdgeResponse
    ) throws -> EdgeResponse {
        // The same events make another answer by other rules.
        let value = "v\(version)-r\(Self.rules)" + (addition.map { "-\($0)" } ?? "")
        guard let tag = EntityTag(value, isWeak: true) else { return try answer() }
        var response = try request.notModified(tag) ?? answer()
        response.fields[.eTag] = tag.text
        response.fields[.cacheControl] = Self.revalidated
        return response
    }
}

extension Ledger {
    /// A payment as it was at a moment: its events up to then, folded; nil when there were none.
    ///
    /// - Throws: What reading the log throws, and an event that this build cannot fold.
    package func transaction(
        _ id: UUID128,
        of tenant: String,
        at moment: Moment
    ) async throws -> TransactionView? {
        let events = try await reader.stream(StreamName.transaction(id), of: tenant).filter(moment.contains)
        guard let first = events.first, let last = events.last else { return nil }
        return TransactionView(
            id: id,
            state: try TransactionState(folding: events.map(TransactionEvent.init)),
            firstPosition: first.position,
            lastPosition: last.position,
            occurredAt: first.occurredAt,
            recordedAt: first.recordedAt
        )
    }
}

extension Ledger {
    /// The position a moment stands for; the end of the log where it is later.
    ///
    /// - Throws: What reading the log throws.
    package func position(of moment: Moment) async throws -> Int64 {
        switch moment {
        case .position(let asked): min(asked, try await reader.head())
        case .time(let time): try await reader.position(recordedUpTo: time)
        }
    }
}

/// A point in the log, given as a time or a position.
package enum Moment: Sendable, Hashable {
    case time(Timestamp)
    case position(Int64)

    /// The time that is asked for; nil where a position is.
    package var asked: Timestamp? {
        switch self {
        case .time(let time): time
        case .position: nil
        }
    }

    /// Reads `as_of` or `as_of_position`.
    package init?(_ query: inout QueryReader) throws(Problem) {
        let time = try query.time("as_of")
        let position = try query.integer("as_of_position", in: 0...Int64.max)
        switch (time, position) {
        case (let time?, nil): self = .time(time)
        case (nil, let position?): self = .position(position)
        case (nil, nil): return nil
        case (.some, .some): throw QueryReader.invalid("as_of_position", "stands without as_of")
        }
    }

    package func contains(_ event: RecordedEvent) -> Bool {
        contains(position: event.position, recordedAt: event.recordedAt)
    }

    func contains(position: Int64, recordedAt: Timestamp) -> Bool {
        switch self {
        case .time(let time): recordedAt <= time
        case .position(let last): position <= last
        }
    }
}

extension TransactionOrder {
    /// Reads `sort`.
    ///
    /// - Throws: `invalid-parameter`, `repeated-parameter`.
    package init(_ query: inout QueryReader) throws(Problem) {
        self = try query.choice("sort", of: TransactionOrder.self) ?? .position
    }
}

extension TransactionFilter {
    private static func words(_ text: String) -> [String]? {
        let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
        return (1...8).contains(words.count) ? words : nil
    }

    /// Reads the filters of the search.
    ///
    /// - Throws: `invalid-parameter`, `repeated-parameter`.
    package init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        status = try query.choice("status", of: TransactionStatus.self)
        operation = try query.choice("type", of: Operation.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        reader = try query.text("reader")
        reference = try query.text("reference")
        batch = try query.text("batch")
        cardBrand = try query.text("card_brand")
        lastFour = try query.text("last4")
        authorizationCode = try query.text("auth_code")
        retrievalReference = try query.text("rrn")
        invoice = try query.text("invoice")
        gatewayTransaction = try query.text("gateway_id")
        currency = try query.text("currency")
        amountFrom = try query.integer("amount_from", in: 0...Int64.max)
        amountTo = try query.integer("amount_to", in: 0...Int64.max)
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
        words = try query.value("text", expected: "is one to eight words") { Self.words($0) } ?? []
        isInDoubt = try query.flag("in_doubt")
        isAnomalous = try query.flag("anomalous")
    }
}
