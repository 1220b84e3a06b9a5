import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Payments
import Projections

extension API {
    func addTotals(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/totals") { try await totals($0) }
        router.on(.get, "/v1/batches/{id}/totals") { try await batchTotals($0) }
    }

    private func totals(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let keys =
            try query.value("by", expected: TotalsKey.expectation(TotalsKey.offered), TotalsKey.list) ?? [.currency]
        let filter = try TotalsFilter(&query)
        let days = try BusinessDay(&query)
        let moment = try Moment(&query)
        try await waitForMinimum(&query, in: "batches")
        try query.finish()
        let position = try await position(of: moment, in: "batches")
        return try await totals(of: principal.tenant, by: keys, matching: filter, days: days, at: position)
    }

    /// What a batch is made of, by whatever tells its lines apart.
    private func batchTotals(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        let known = TotalsKey.allCases
        let keys =
            try query.value("by", expected: TotalsKey.expectation(known)) { TotalsKey.list($0, among: known) } ?? [
                .type
            ]
        let days = try BusinessDay(&query)
        let moment = try Moment(&query)
        try await waitForMinimum(&query, in: "batches")
        try query.finish()
        let position = try await position(of: moment, in: "batches")
        guard try await ledger.batches.batch(id, of: principal.tenant) != nil else { throw Problem.notFound }
        return try await totals(
            of: principal.tenant,
            by: keys,
            matching: TotalsFilter(),
            days: days,
            batch: id,
            at: position
        )
    }

    private func totals(
        of tenant: String,
        by keys: [TotalsKey],
        matching filter: TotalsFilter,
        days: BusinessDay,
        batch: UUID128? = nil,
        at position: Int64?
    ) async throws -> EdgeResponse {
        do {
            let rows = try await ledger.totals.totals(
                of: tenant,
                by: keys,
                matching: filter,
                days: days,
                batch: batch,
                at: position
            )
            return .json(TotalsAnswer(keys: keys, days: days, rows: rows, position: position).json)
        } catch let error as TotalsError {
            throw Problem(error)
        }
    }
}

extension BusinessDay {
    /// Reads `zone` and `cutoff`; midnight in UTC without them.
    init(_ query: inout QueryReader) throws(Problem) {
        let zone = try query.value("zone", expected: "is Z, or as +01:00") { text in
            BusinessDay.zone(text).map { _ in text }
        }
        let cutoff = try query.value("cutoff", expected: "is a time of day, as 04:00") { text in
            BusinessDay.minutes(text[...]).map { _ in text }
        }
        guard let days = BusinessDay(zone: zone, cutoff: cutoff) else { throw QueryReader.invalid("zone") }
        self = days
    }
}

extension TotalsFilter {
    init(_ query: inout QueryReader) throws(Problem) {
        self.init()
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
        merchant = try query.text("merchant")
        terminal = try query.text("terminal")
        vendor = try query.choice("vendor", of: Vendor.self)
        currency = try query.text("currency")
        cardBrand = try query.text("card_brand")
        tender = try query.text("tender")
        clerk = try query.text("clerk")
    }
}

extension Problem {
    init(_ error: TotalsError) {
        switch error {
        case .overflow:
            self.init(
                status: 422,
                code: "totals-overflow",
                title: "A total does not fit 64 bits",
                detail: "Ask for less: a shorter time, one merchant, or totals by day."
            )
        case .tooMany:
            self.init(
                status: 422,
                code: "too-many-totals",
                title: "There are too many totals for one answer",
                detail:
                    "Ask for a shorter time, one merchant, or fewer keys; at most \(TotalsQuery.limit) are answered."
            )
        }
    }
}
