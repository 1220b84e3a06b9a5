import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Operations
import Payments
import Projections
import Reconciliation
import Tables

/// The routes of all lists. The lists themselves are values of `Operations`.
extension API {
    static let listTypes = ["application/json", "application/x-ndjson", "text/csv"]
    /// A list is one page as JSON, and all matching items in the other formats.
    private static let streamable = RouteOptions(
        offering: listTypes,
        streaming: ["application/x-ndjson", "text/csv"]
    )

    /// The filters that select one thing: a list with one of them contains the client's own writes
    /// (docs/decisions/0054).
    private static let identifiers: Set<String> = [
        "reference", "gateway_id", "rrn", "invoice", "auth_code", "transaction", "batch", "number", "statement", "line",
        "reader",
    ]

    func addLists(to router: inout EdgeRouter<Principal>) {
        for list in Lists.all {
            for path in list.paths.map(ListPath.init) {
                router.on(.get, "/v1/\(path.route)", Self.streamable) { request in
                    let values = try path.names.map { (name: $0, value: try Self.value(of: $0, request)) }
                    return try await answer(request, list, path: values)
                }
            }
        }
        for list in [Lists.matches as any LedgerList, Lists.exceptions] {
            router.on(.get, "/v1/reconciliations/{id}/\(list.name)", Self.streamable) { request in
                let id = try Self.id(request)
                // The run decides the position, and no parameter does.
                return try await answer(request, list, path: [(name: "as_of_position", value: "0")]) {
                    .position(try await end(ofRun: id, request))
                }
            }
        }
    }

    /// The value of a name in the path: an account or an id.
    private static func value(of name: String, _ request: Request) throws(Problem) -> String {
        guard name == ListPath.account else { return try id(request).text }
        guard let account = Account(rawValue: try request.parameter(name)) else { throw .notFound }
        return account.rawValue
    }

    private static func id(_ request: Request) throws(Problem) -> UUID128 {
        guard let id = UUID128(try request.parameter("id")) else { throw .notFound }
        return id
    }

    /// The events of the log may also be read by an auditor.
    private static func scopes(of list: any LedgerList) -> [Scope] {
        list.readModels.isEmpty ? [.audit, .read] : [.read]
    }

    /// The position at which a run ended.
    private func end(ofRun id: UUID128, _ request: Request) async throws -> Int64 {
        let principal = try principal(request, .read)
        var query = request.query
        try await waitForWrites(&query, in: "reconciliation")
        guard let run = try await ledger.reconciliation.query.run(id, of: principal.tenant) else {
            throw Problem.notFound
        }
        guard let end = run.completion?.position else { throw Refusal.runUnfinished }
        return end
    }

    /// Answers a list in the format that the client prefers.
    ///
    /// - Parameters:
    ///   - path: Parameters that the path gives.
    ///   - moment: The moment of a list whose path decides it.
    private func answer(
        _ request: Request,
        _ list: any LedgerList,
        path: [(name: String, value: String)],
        at moment: (() async throws -> Moment)? = nil
    ) async throws -> EdgeResponse {
        let principal = try principal(request, Self.scopes(of: list))
        var query = ParameterReader(request.target.parameters.map { ($0.name, $0.value) }, path: path)
        let isAboutOne = !path.isEmpty || query.has(anyOf: Self.identifiers)
        let limit = list.pageSize == nil ? nil : try query.givenLimit()
        let cursor = list.pageSize == nil ? nil : try Cursor(&query)
        var wanted = try list.request(reading: &query)
        let table = try TableRequest(&query, of: wanted.table)
        let deadline = self.deadline
        if !list.readModels.isEmpty {
            let readsOwnWrites = isAboutOne && wanted.moment == nil
            try await waitForWrites(&query, in: list.readModels, isAboutOne: readsOwnWrites, until: deadline)
        }
        try query.finish()
        if let moment { wanted.moment = try await moment() }
        // Every event up to here is in the answer, or in the pages that follow it.
        let end = list.isFeed ? try await ledger.reader.head() : nil
        let reading = try await wanted.open(of: principal.tenant, in: ledger, after: cursor)
        try await reading.wait(in: ledger, until: deadline)
        try await reading.requireParent()
        let type = try request.negotiate(Self.listTypes)
        var response =
            if type == "application/json" {
                EdgeResponse.bytes(try await reading.document(limit: limit ?? list.pageSize ?? 0).bytes, type: type)
            } else {
                try await stream(reading, as: type, table, limit: limit)
            }
        response.fields[.vary] = "Accept"
        response.fields[.daybookPosition] = end.map { String($0) }
        return response
    }

    /// A whole list as NDJSON or CSV.
    ///
    /// - Parameter limit: The most items; nil for all.
    private func stream(
        _ reading: ListReading,
        as type: String,
        _ table: TableRequest,
        limit: Int?
    ) async throws -> EdgeResponse {
        let isCSV = type == "text/csv"
        let form: ListForm = isCSV ? .csv(table.dialect, table.chosen) : .lines
        let export = try await ListExport(reading, as: form, limit: limit)
        var response = EdgeResponse.stream(type: isCSV ? "text/csv; charset=utf-8; header=present" : type) { writer in
            try await export.run { try await writer.write($0) }
        }
        if isCSV { response.fields[.contentDisposition] = "attachment; filename=\"\(reading.list.name).csv\"" }
        return response
    }
}
