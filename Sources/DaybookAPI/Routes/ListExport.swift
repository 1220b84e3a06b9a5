import Canonical
import EventLog
import HTTPEdge
import HTTPTypes
import Ledger
import Operations
import Payments
import Projections
import Replay
import Tables

extension API {
    static let listTypes = ["application/json", "application/x-ndjson", "text/csv"]
    /// A list is one page as JSON, and all matching items in the other formats.
    static let streamable = RouteOptions(offering: listTypes, streaming: ["application/x-ndjson", "text/csv"])

    /// The filters that select one thing: a list with one of them contains the client's own writes
    /// (docs/decisions/0054).
    static let identifiers: Set<String> = [
        "reference", "gateway_id", "rrn", "invoice", "auth_code", "transaction", "batch", "number", "statement", "line",
        "reader",
    ]

    /// Answers a list in the format that the client prefers.
    ///
    /// - Parameters:
    ///   - read: Reads the list from the query, and the place to begin without a cursor.
    ///   - exists: Whether the thing exists that the list is about.
    ///   - document: The JSON document of a page with more members than its items.
    func list(
        _ request: Request,
        of tenant: String,
        _ read: (inout ParameterReader) throws(Refusal) -> (LedgerList, Cursor?),
        exists: () async throws -> Bool = { true },
        document: ((LedgerList, ListPage) async throws -> EdgeResponse)? = nil
    ) async throws -> EdgeResponse {
        var query = request.query
        let isAboutOne = !request.parameters.isEmpty || query.has(anyOf: Self.identifiers)
        let limit = try query.givenLimit()
        let cursor = try Cursor(&query)
        let (list, start) = try read(&query)
        let table = try TableRequest(&query, of: list.table)
        if let readModel = list.readModel {
            try await waitForWrites(&query, in: readModel, isAboutOne: isAboutOne && list.past == nil)
        }
        try query.finish()
        guard try await exists() else { throw Problem.notFound }
        let type = try request.negotiate(Self.listTypes)
        guard type == "application/json" else {
            return try await stream(list, of: tenant, as: type, table, after: cursor ?? start, limit: limit)
        }
        let found = try await ledger.page(list, of: tenant, after: cursor ?? start, limit: limit ?? 100)
        var response = try await document?(list, found) ?? page(found.items, next: found.next)
        response.fields[.vary] = "Accept"
        return response
    }

    /// Answers a whole list as NDJSON or CSV.
    ///
    /// - Parameter limit: The most items; nil for all.
    func stream(
        _ list: LedgerList,
        of tenant: String,
        as type: String,
        _ table: TableRequest,
        after cursor: Cursor? = nil,
        limit: Int? = nil
    ) async throws -> EdgeResponse {
        let isCSV = type == "text/csv"
        let export = try await ListExport(
            list,
            of: tenant,
            in: ledger,
            as: isCSV ? .csv(table.dialect, table.chosen) : .lines,
            after: cursor,
            limit: limit
        )
        var response = EdgeResponse.stream(type: isCSV ? "text/csv; charset=utf-8; header=present" : type) { writer in
            try await export.run { try await writer.write($0) }
        }
        if isCSV { response.fields[.contentDisposition] = "attachment; filename=\"\(list.table.name).csv\"" }
        response.fields[.vary] = "Accept"
        return response
    }
}
