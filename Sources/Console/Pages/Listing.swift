import Canonical
import Composition
import HTTPEdge
import Operations
import Projections

extension WebConsole {
    /// A page that is one list of the API, with the same filters and in the same order.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - values: Makes further values of the page.
    ///   - table: Makes the rows from the items of the API.
    /// - Throws: `Refusal` for an unknown filter; errors of reading.
    func listPage<Item: Decodable>(
        _ list: any LedgerList,
        _ view: ConsoleView,
        _ template: String,
        _ title: String,
        _ visit: Visit,
        filters: FilterForm? = nil,
        values: (ListDocument) throws -> [String: PageValue] = { _ in [:] },
        table: ([Item]) -> Table
    ) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = view.rawValue
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: view.pageSize)
        let cursor = try Cursor(&reader)
        let asked = query.exact.filter { $0.name != "limit" && $0.name != "cursor" }
        let found = try await ledger.page(try list.request(asked), of: visit.tenant, after: cursor, limit: limit)
        let items = try found.items(as: Item.self)
        let further = try values(found)
        var page = Page(
            template,
            title,
            [
                "filters": filters?.value(query, visit.zone), "table": table(items).value,
                "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
            ]
        )
        for (name, value) in further { page.values[name] = value }
        return .page(page)
    }

    /// The position of a moment, once the read model contains it; nil without a moment.
    ///
    /// - Throws: `invalid-cursor` for a cursor of another position; `projection-behind`.
    func position(
        of moment: Moment?,
        in readModel: String = "reconciliation",
        goingOnAt cursor: Cursor? = nil
    ) async throws -> Int64? {
        guard let moment else { return nil }
        var position = try await ledger.position(of: moment)
        if let cursor { position = try await ledger.position(of: moment, goingOnAt: cursor) }
        guard try await ledger.readModels.wait(for: readModel, toReach: position, timeout: ledger.waitLimit) else {
            throw Refusal.projectionBehind()
        }
        return position
    }
}
