import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Intake
import Journal
import Operations

extension API {
    private static let chartLimit = 64 << 10

    func addChart(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/chart") { try await chart($0) }
        router.on(.put, "/v1/chart", .init(bodyLimitBytes: Self.chartLimit)) { try await defineChart($0) }
    }

    private func chart(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let version = try query.integer("version", in: 0...Int64.max)
        try await waitForWrites(&query, in: "journal")
        try query.finish()
        guard let found = try await ledger.chart(of: principal.tenant, version: version) else { throw Problem.notFound }
        return try .document(found)
    }

    /// Records a version of the tenant's chart, which names the accounts of later exports.
    private func defineChart(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let outcome = try await ledger.define(
            try DefineChart(reading: try await Self.storableJSON(request)),
            idempotencyKey: key,
            sender: sender(principal, request)
        )
        var response = try EdgeResponse.document(ChartJSON(outcome.stored), status: .created)
        response.fields[.daybookPosition] = String(outcome.stored.position)
        if outcome.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }
}
