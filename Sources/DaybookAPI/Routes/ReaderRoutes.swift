import Access
import Canonical
import Composition
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections

extension API {
    func addReaders(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/readers/{vendor}/{serial}") { try await reader($0) }
    }

    private func reader(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let vendor = Vendor(rawValue: try request.parameter("vendor")) else { throw Problem.notFound }
        let serial = try request.parameter("serial")
        var query = request.query
        try await waitForWrites(&query, in: "readers")
        try query.finish()
        let reader = ReaderReference(vendor: vendor, serial: serial)
        guard let found = try await ledger.payments.readers.reader(reader, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(ReaderJSON(found))
    }
}
