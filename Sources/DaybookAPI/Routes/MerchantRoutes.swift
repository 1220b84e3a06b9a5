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
    private static let descriptionLimit = 16 << 10

    func addMerchants(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/merchants/{merchant}") { try await merchant($0) }
        router.on(.put, "/v1/merchants/{merchant}", .init(bodyLimitBytes: Self.descriptionLimit)) {
            try await describe($0)
        }
    }

    private func merchant(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let name = try request.parameter("merchant")
        var query = request.query
        try await waitForWrites(&query, in: "merchants")
        try query.finish()
        guard let found = try await ledger.describedMerchant(name, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(found)
    }

    /// Records where a merchant is and when its day begins.
    private func describe(_ request: Request) async throws -> EdgeResponse {
        let principal = try authorized(request)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let name = try request.parameter("merchant")
        guard MerchantCommands.isName(name) else { throw Problem.notFound }
        let command = try DescribeMerchant(reading: try await Self.storableJSON(request))
        let reported = try await ledger.intake.merchants.describe(
            name,
            zone: command.days.zone.name,
            cutoff: command.days.cutoff,
            reason: command.reason,
            idempotencyKey: key,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        )
        var response = try EdgeResponse.document(MerchantJSON(MerchantView(reported.event)), status: .created)
        response.fields[.daybookPosition] = String(reported.event.position)
        if reported.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }
}
