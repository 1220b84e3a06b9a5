package import Access
package import Canonical
import EventLog
import HTTPEdge
import HTTPTypes
package import Intake
import Ledger
import Operations
package import Payments
import Projections

extension API {
    private static let descriptionLimit = 16 << 10
    /// Who may say where a merchant is.
    package static let describing: [Scope] = [.reconcile, .admin]

    func addMerchants(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/merchants", Self.streamable) { try await merchants($0) }
        router.on(.get, "/v1/merchants/{merchant}") { try await merchant($0) }
        router.on(.put, "/v1/merchants/{merchant}", .init(bodyLimitBytes: Self.descriptionLimit)) {
            try await describe($0)
        }
    }

    private func merchants(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        return try await list(request, of: principal.tenant) { _ throws(Refusal) in (.merchants, nil) }
    }

    private func merchant(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let name = try request.parameter("merchant")
        var query = request.query
        try await waitForWrites(&query, in: "merchants")
        try query.finish()
        guard let found = try await ledger.merchants.merchant(name, of: principal.tenant) else {
            throw Problem.notFound
        }
        return .json(found.json)
    }

    /// Records where a merchant is and when its day begins.
    private func describe(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, Self.describing)
        let key = try idempotencyKey(request)
        try request.query.finish()
        let name = try request.parameter("merchant")
        guard MerchantCommands.isName(name) else { throw Problem.notFound }
        let description = try Self.description(of: name, try await Self.said(request))
        let reported = try await ledger.merchantCommands.describe(
            description,
            idempotencyKey: key,
            sender: Sender(tenant: principal.tenant, actor: principal.actor, correlation: request.id)
        )
        var response = EdgeResponse.json(try MerchantView(reported.event).json, status: .created)
        response.fields[.daybookPosition] = String(reported.event.position)
        if reported.isDuplicate { response.fields[.idempotencyReplayed] = "true" }
        return response
    }

    /// `{"zone": "America/New_York", "cutoff": "04:00", "reason": "..."}`; the cut-off may be left out.
    ///
    /// - Throws: `malformed-record`.
    package static func description(of name: String, _ json: JSONValue) throws(IntakeProblem) -> MerchantDescription {
        guard let object = json.object, object.members.allSatisfy({ ["zone", "cutoff", "reason"].contains($0.key) })
        else {
            throw IntakeProblem(.malformedRecord, "Send `zone`, `reason` and, unless it is midnight, `cutoff`.")
        }
        guard let zone = object["zone"]?.string.flatMap({ Zone($0) }) else {
            throw IntakeProblem(.malformedRecord, "A zone is as Europe/Berlin, UTC or +01:00.", pointer: "/zone")
        }
        let cutoff = object["cutoff"] ?? "00:00"
        guard let minutes = cutoff.string.flatMap({ BusinessDay.minutes($0[...]) }) else {
            throw IntakeProblem(.malformedRecord, "A cut-off is a time of day, as 04:00.", pointer: "/cutoff")
        }
        guard let reason = object["reason"]?.string.flatMap(Reason.init) else { throw .noReason }
        let days = BusinessDay(zone: zone, cutoffMinutes: minutes)
        return MerchantDescription(merchant: name, zone: zone.name, cutoff: days.cutoff, reason: reason.text)
    }
}
