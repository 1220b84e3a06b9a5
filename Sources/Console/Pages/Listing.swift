import Canonical
import HTTPEdge
import Ledger
import Operations

extension Console {
    /// A page that is one list of the API, with the same filters and in the same order.
    ///
    /// - Parameters:
    ///   - name: The command line's name of the list.
    ///   - table: Makes the rows from the items of the API.
    /// - Throws: `Problem` for a filter the list does not have; what reading throws.
    func listPage<Item: Decodable>(
        _ name: String,
        _ view: ConsoleView,
        _ template: String,
        _ title: String,
        _ visit: Visit,
        filters: FilterForm? = nil,
        table: ([Item]) -> Table
    ) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = view.rawValue
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: view.pageSize)
        let cursor = try Cursor(&reader)
        let asked = query.exact.filter { $0.name != "limit" && $0.name != "cursor" }
        guard let list = try LedgerList(named: name, filters: asked) else { throw Problem.notFound }
        let found = try await ledger.page(list, of: visit.tenant, after: cursor, limit: limit)
        let items = try found.items(as: Item.self)
        return .page(
            Page(
                template,
                title,
                [
                    "filters": filters?.value(query, visit.zone), "table": table(items).value,
                    "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }
}
