import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Intake
import Operations
import Payments
import Projections

extension API {
    func addTransactions(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/transactions/{id}") { try await transaction($0) }
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
            return try versioned(request, found.state.version) { .bytes(found.json.bytes, type: "application/json") }
        }
        guard let found = try await ledger.payments.transactions.transaction(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try versioned(request, found.version) { .bytes(Array(found.json.utf8), type: "application/json") }
    }

    /// A text that is not an id answers 404, like an id of another tenant.
    func transactionID(_ request: Request) throws(Problem) -> UUID128 {
        guard let id = UUID128(try request.parameter("id")) else { throw .notFound }
        return id
    }

    /// A number that changes with the versions of the read models behind entity tags.
    private static let rules = TransactionsProjection().version + ReceiptsProjection().version

    /// The cache control of answers with an entity tag: clients keep them and revalidate.
    static let revalidated = "private, no-cache"

    /// Answers with a weak entity tag, or 304 if the client has this version.
    func versioned(
        _ request: Request,
        _ version: Int64,
        with addition: String? = nil,
        _ answer: () throws -> EdgeResponse
    ) throws -> EdgeResponse {
        // The same events give another answer in another version of a read model.
        let value = "v\(version)-r\(Self.rules)" + (addition.map { "-\($0)" } ?? "")
        guard let tag = EntityTag(value, isWeak: true) else { return try answer() }
        var response = try request.notModified(tag) ?? answer()
        response.fields[.eTag] = tag.text
        response.fields[.cacheControl] = Self.revalidated
        return response
    }
}
