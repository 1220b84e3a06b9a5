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
        router.on(.get, "/v1/readers/{vendor}/{serial}/bundle") { try await bundle($0) }
    }

    private func reference(_ request: Request) throws -> ReaderReference {
        guard let vendor = Vendor(rawValue: try request.parameter("vendor")) else { throw Problem.notFound }
        return ReaderReference(vendor: vendor, serial: try request.parameter("serial"))
    }

    private func reader(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let reader = try reference(request)
        var query = request.query
        try await waitForWrites(&query, in: "readers")
        try query.finish()
        guard let found = try await ledger.payments.readers.reader(reader, of: principal.tenant) else {
            throw Problem.notFound
        }
        return try .document(ReaderJSON(found))
    }

    /// What the vendor's support needs, as one file.
    private func bundle(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        let reader = try reference(request)
        var query = request.query
        let from = try query.time("from")
        let to = try query.time("to")
        try await waitForWrites(&query, in: Lists.readerRates.readModels)
        try query.finish()
        guard let found = try await ledger.readerBundle(of: reader, tenant: principal.tenant, from: from, to: to)
        else { throw Problem.notFound }
        return try .attachment(found.lines(), type: "application/x-ndjson", name: found.fileName)
    }
}
