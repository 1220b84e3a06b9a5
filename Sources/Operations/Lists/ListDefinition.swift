package import Canonical
package import Composition
package import Tables

/// A list as a value. Everything else follows from it: its route and pages, NDJSON and CSV, `daybook list`, the call and
/// the command that the console names, and which filters are valid (docs/decisions/0061).
package struct ListDefinition<Filter: Sendable, Item: Encodable & Sendable>: LedgerList {
    package typealias Query = ListQuery<Filter>

    package let name: String
    package let summary: String
    package let paths: [String]
    package let readModels: [String]
    package let isFeed: Bool
    package let isAvailableInThePast: Bool
    package let pageSize: Int?
    package let shown: [String]
    private let filter: @Sendable (inout ParameterReader) throws(Refusal) -> Filter
    private let columns: @Sendable (Filter) -> [Column]
    private let settle: @Sendable (inout Query, Ledger) async throws -> Void
    private let parentExists: @Sendable (Query, Ledger) async throws -> Bool
    private let members: (@Sendable (Query, Ledger) async throws -> JSONObject)?
    private let page: @Sendable (Query, Ledger) async throws -> Page<Item>

    /// - Parameters:
    ///   - summary: The contents and their order.
    ///   - paths: The path of the API, and further ones with more ids in it.
    ///   - readModels: The one of the items first.
    ///   - filter: Reads the filters by name.
    ///   - columns: All columns. Their names are part of the contract: columns are added, never renamed.
    ///   - shown: The names of those that fit a terminal, separated by commas; all if left out.
    ///   - settle: Computes what the filter leaves open, once for all pages. A position that it sets is part of cursors.
    ///   - parentExists: Whether the thing exists that the list belongs to.
    ///   - members: Members of a page's document beside its items; by default the position of a list of the past.
    ///   - page: Reads the items after a cursor.
    package init(
        name: String,
        summary: String,
        paths: [String],
        readModels: [String],
        isFeed: Bool = false,
        isAvailableInThePast: Bool = false,
        pageSize: Int? = 100,
        filter: @escaping @Sendable (inout ParameterReader) throws(Refusal) -> Filter,
        columns: @escaping @Sendable (Filter) -> [Column],
        shown: String? = nil,
        settle: @escaping @Sendable (inout Query, Ledger) async throws -> Void = { _, _ in },
        parentExists: @escaping @Sendable (Query, Ledger) async throws -> Bool = { _, _ in true },
        members: (@Sendable (Query, Ledger) async throws -> JSONObject)? = nil,
        page: @escaping @Sendable (Query, Ledger) async throws -> Page<Item>
    ) {
        self.name = name
        self.summary = summary
        self.paths = paths
        self.readModels = readModels
        self.isFeed = isFeed
        self.isAvailableInThePast = isAvailableInThePast
        self.pageSize = pageSize
        self.filter = filter
        self.columns = columns
        self.shown = shown?.split(separator: ",").map(String.init) ?? []
        self.settle = settle
        self.parentExists = parentExists
        self.members = members
        self.page = page
    }

    package func request(reading query: inout ParameterReader) throws(Refusal) -> ListRequest {
        let moment = isAvailableInThePast ? try Moment(&query) : nil
        return request(try filter(&query), at: moment)
    }

    package func request(_ filter: Filter, at moment: Moment? = nil) -> ListRequest {
        ListRequest(list: self, table: Table(name: name, columns: columns(filter)), moment: moment) {
            moment,
            tenant,
            cursor,
            ledger in
            try await open(Query(tenant: tenant, filter: filter, time: moment?.asked, cursor: cursor), moment, ledger)
        }
    }

    private func open(_ wanted: Query, _ moment: Moment?, _ ledger: Ledger) async throws -> ListReading {
        var query = wanted
        if let moment {
            query.position =
                if let cursor = query.cursor {
                    try await ledger.position(of: moment, goingOnAt: cursor)
                } else {
                    try await ledger.position(of: moment)
                }
        }
        try await settle(&query, ledger)
        let settled = query
        return ListReading(
            list: self,
            table: Table(name: name, columns: columns(settled.filter)),
            start: settled.cursor,
            position: settled.position,
            parentExists: { try await parentExists(settled, ledger) },
            members: {
                if let members { return try await members(settled, ledger) }
                var head: JSONObject = [:]
                if let position = settled.position { head["asOfPosition"] = .number(.init(position)) }
                return head
            },
            read: { cursor, limit in
                // A cursor of another past state would skip items.
                if let cursor, cursor.asOf != settled.position { throw Cursor.invalid }
                var query = settled
                query.cursor = cursor
                query.limit = limit
                let page = try await page(query, ledger)
                return try ListPage(page, at: settled.position)
            }
        )
    }
}

/// What the pages of a list are read by.
package struct ListQuery<Filter: Sendable>: Sendable {
    package var tenant: String
    package var filter: Filter
    /// The position of a list of the past; nil for the present.
    package var position: Int64?
    /// The requested time of a list of the past, if it was a time.
    package var time: Timestamp?
    package var cursor: Cursor?
    package var limit = 0

    /// The position of the cursor of a list with the newest first.
    package var before: Int64 { cursor?.position ?? .max }
    /// The position of the cursor of a list with the oldest first.
    package var after: Int64 { cursor?.position ?? 0 }

    /// The place of the cursor; nil on the first page.
    package func place<Place>(_ read: (Cursor) throws(Refusal) -> Place) throws(Refusal) -> Place? {
        guard let cursor else { return nil }
        return try read(cursor)
    }
}

/// Items of a list, and the cursor of the next page; nil after the last one.
package struct Page<Item: Sendable>: Sendable {
    package var items: [Item]
    package var next: Cursor?

    package init(items: [Item], next: Cursor?) {
        self.items = items
        self.next = next
    }

    /// - Parameters:
    ///   - found: One more than `limit` if there are more.
    ///   - cursor: The cursor after an item.
    package init<Row>(_ found: [Row], _ limit: Int, item: (Row) throws -> Item, cursor: (Row) -> Cursor) rethrows {
        let shown = found.prefix(limit)
        items = try shown.map(item)
        next = found.count > limit ? shown.last.map(cursor) : nil
    }
}
