import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Payments
import Projections

extension API {
    func addBatches(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/batches") { try await batches($0) }
        router.on(.get, "/v1/batches/{id}") { try await batch($0) }
        router.on(.get, "/v1/batches/{id}/members") { try await members($0) }
    }

    private func batches(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let limit = try query.limit()
        let cursor = try Cursor(&query)
        let status = try query.choice("status", of: BatchState.Status.self)
        let vendor = try query.choice("vendor", of: Vendor.self)
        let number = try query.text("number")
        try await waitForMinimum(&query, in: "batches")
        try query.finish()
        let found = try await ledger.batches.batches(
            of: principal.tenant,
            status: status,
            vendor: vendor,
            number: number,
            before: cursor?.position ?? .max,
            limit: limit + 1
        )
        let items = found.prefix(limit)
        let next = found.count > limit ? items.last.map { Cursor(position: $0.firstPosition) } : nil
        return page(try items.map { try $0.json() }, next: next)
    }

    private func batch(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        try await waitForMinimum(&query, in: "batches")
        try query.finish()
        guard let found = try await ledger.batches.batch(id, of: principal.tenant) else { throw Problem.notFound }
        return .json(try found.json())
    }

    private func members(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let id = UUID128(try request.parameter("id")) else { throw Problem.notFound }
        var query = request.query
        let limit = try query.limit()
        let cursor = try query.cursor()
        try await waitForMinimum(&query, in: "batches")
        try query.finish()
        guard try await ledger.batches.batch(id, of: principal.tenant) != nil else { throw Problem.notFound }
        let last = try cursor.map { text throws(Problem) in try Self.line(text) }
        let found = try await ledger.batches.lines(of: id, tenant: principal.tenant, after: last, limit: limit + 1)
        let items = found.prefix(limit)
        var object: JSONObject = ["items": .array(items.map(\.json))]
        if found.count > limit, let end = items.last { object["next"] = .string("\(end.transaction)~\(end.line)") }
        return .json(.object(object))
    }

    private static func line(_ text: String) throws(Problem) -> (transaction: UUID128, line: String) {
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let id = UUID128(String(parts[0])) else {
            throw Problem(status: 400, code: "invalid-cursor", title: "The cursor is not one of this list's")
        }
        return (id, String(parts[1]))
    }
}
