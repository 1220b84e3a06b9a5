import Access
import Canonical
import HTTPEdge
import HTTPTypes
import Ledger
import Payments
import Projections

extension API {
    func addReaders(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/readers") { try await readers($0) }
        router.on(.get, "/v1/readers/{vendor}/{serial}") { try await reader($0) }
    }

    private func readers(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        var query = request.query
        let limit = try query.limit()
        let cursor = try Cursor(&query)
        let vendor = try query.choice("vendor", of: Vendor.self)
        let isBusy = try query.flag("busy")
        let isUpdateDue = try query.flag("update_due")
        try await waitForMinimum(&query, in: "readers")
        try query.finish()
        let found = try await ledger.readers.readers(
            of: principal.tenant,
            vendor: vendor,
            isBusy: isBusy,
            isUpdateDue: isUpdateDue,
            after: try cursor.map { cursor throws(Problem) in try Self.last(cursor) },
            limit: limit + 1
        )
        let items = found.prefix(limit)
        let next = found.count > limit ? items.last.map(Self.cursor) : nil
        return page(items.map(\.json), next: next)
    }

    private func reader(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .read)
        guard let vendor = Vendor(rawValue: try request.parameter("vendor")) else { throw Problem.notFound }
        let serial = try request.parameter("serial")
        var query = request.query
        try await waitForMinimum(&query, in: "readers")
        try query.finish()
        let reader = ReaderReference(vendor: vendor, serial: serial)
        guard let found = try await ledger.readers.reader(reader, of: principal.tenant) else { throw Problem.notFound }
        return .json(found.json)
    }

    /// One document can tell of two readers at one position, so the cursor names the reader, too.
    private static func cursor(_ view: ReaderView) -> Cursor {
        let named = StreamName.named(view.reader)
        return Cursor(position: view.firstPosition, name: "\(named.vendor.rawValue)~\(named.serial)")
    }

    private static func last(_ cursor: Cursor) throws(Problem) -> (position: Int64, reader: ReaderReference) {
        let parts = (cursor.name ?? "").split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let vendor = Vendor(rawValue: String(parts[0])) else {
            throw Problem(status: 400, code: "invalid-cursor", title: "The cursor is not one of this list's")
        }
        return (cursor.position, ReaderReference(vendor: vendor, serial: String(parts[1])))
    }
}
