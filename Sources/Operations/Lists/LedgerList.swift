package import Canonical
package import Composition
import Payments
import Projections
package import Tables

/// A list of the ledger, whatever its filter and items are. `ListDefinition` is the only kind.
package protocol LedgerList: Sendable {
    /// The name of the list on the command line.
    var name: String { get }
    /// The contents and their order, as one line of help.
    var summary: String { get }
    /// The paths of the list below the API's version. A name in braces is an id, and elsewhere a filter.
    var paths: [String] { get }
    /// The read models of the list; none for the log itself.
    var readModels: [String] { get }
    /// True if it is followed by its positions.
    var isFeed: Bool { get }
    /// True if it can be read as of a time or position.
    var isAvailableInThePast: Bool { get }
    /// The items of a page, if the caller does not say; nil for a list that is always one page.
    var pageSize: Int? { get }
    /// The columns that fit a terminal.
    var shown: [String] { get }

    /// Reads the filter, and the moment if the list is available in the past.
    func request(reading query: inout ParameterReader) throws(Refusal) -> ListRequest
}

extension LedgerList {
    /// The ids in the list's own path.
    package var pathNames: [String] { ListPath(paths[0]).names }

    /// A valid value for each name in the list's own path, for a request that is read and not answered.
    package var pathExamples: [(name: String, value: String)] {
        pathNames.map {
            (
                name: $0,
                value: $0 == ListPath.account
                    ? Account.suspense.rawValue : "00000000-0000-7000-8000-000000000000"
            )
        }
    }

    /// The names of the filters, with those of the path, in the order in which they are read.
    package var filterNames: [String] {
        var reader = ParameterReader([], path: pathExamples)
        // An empty filter is valid.
        _ = try? request(reading: &reader)
        return pathNames + reader.known
    }

    /// The columns that fit a terminal.
    package func shown(of table: Table) -> Table {
        shown.isEmpty ? table : table.choosing(shown.joined(separator: ",")) ?? table
    }

    /// - Parameter filters: Ids of the path are filters here.
    /// - Throws: `Refusal` for an unknown filter or an invalid value.
    package func request(_ filters: [(name: String, value: String)]) throws(Refusal) -> ListRequest {
        var reader = ParameterReader(filters)
        let request = try request(reading: &reader)
        try reader.finish()
        return request
    }
}

/// A path with names in braces, such as `batches/{batch}/members`.
package struct ListPath: Sendable, Hashable {
    package let template: String

    package init(_ template: String) { self.template = template }

    package var names: [String] { segments.compactMap(\.name) }

    /// The name of a segment that is an account of the journal; all others are ids.
    package static let account = "account"

    /// The path as a route of the API, in which every id is called `id`.
    package var route: String { filled { $0 == Self.account ? "{\($0)}" : "{id}" } }

    /// - Parameter segment: The segment for a name.
    package func filled(_ segment: (String) -> String) -> String {
        segments.map { $0.name.map(segment) ?? $0.text }.joined(separator: "/")
    }

    private var segments: [(text: String, name: String?)] {
        template.split(separator: "/").map { text in
            (String(text), text.hasPrefix("{") ? String(text.dropFirst().dropLast()) : nil)
        }
    }
}

/// A list that a caller wants, with its filter.
package struct ListRequest: Sendable {
    package let list: any LedgerList
    package let table: Table
    /// The time or position of a list of the past; nil for the present.
    package var moment: Moment?
    let open: @Sendable (Moment?, String, Cursor?, Ledger) async throws -> ListReading

    /// Fixes the positions of the list, so that all its pages show the same state.
    ///
    /// - Parameter cursor: The cursor of the first page that is read.
    /// - Throws: `invalid-cursor`; `not-found` if the list belongs to something that does not exist.
    package func open(of tenant: String, in ledger: Ledger, after cursor: Cursor? = nil) async throws -> ListReading {
        try await open(moment, tenant, cursor, ledger)
    }
}

/// A list of one tenant at fixed positions.
package struct ListReading: Sendable {
    package let list: any LedgerList
    package let table: Table
    /// The cursor of the first page.
    package let start: Cursor?
    /// The position that the read models must contain; nil for the present.
    package let position: Int64?
    let parentExists: @Sendable () async throws -> Bool
    let members: @Sendable () async throws -> JSONObject
    let read: @Sendable (Cursor?, Int) async throws -> ListPage

    /// Waits until the read models contain the positions of the list.
    ///
    /// - Throws: `projection-behind`.
    package func wait(in ledger: Ledger, until deadline: ContinuousClock.Instant) async throws {
        guard let position else { return }
        for model in list.readModels {
            let rest = max(.zero, ContinuousClock.now.duration(to: deadline))
            guard try await ledger.readModels.wait(for: model, toReach: position, timeout: rest) else {
                throw Refusal.projectionBehind()
            }
        }
    }

    /// - Throws: `not-found` if the list belongs to something that does not exist.
    package func requireParent() async throws {
        guard try await parentExists() else { throw Refusal.notFound }
    }

    /// - Throws: `invalid-cursor`; errors of reading.
    package func page(after cursor: Cursor?, limit: Int) async throws -> ListPage { try await read(cursor, limit) }

    /// The document of one page: members about the whole list, then its items.
    ///
    /// - Throws: `invalid-cursor`; errors of reading.
    package func document(limit: Int) async throws -> ListDocument {
        let page = try await page(after: start, limit: limit)
        return ListDocument(head: try await members(), page: page)
    }

    /// The members about the whole list.
    package func head() async throws -> JSONObject { try await members() }
}

extension Ledger {
    /// One page of a list. A list of the past waits for its read models; another one shows what they contain.
    ///
    /// - Throws: `invalid-cursor`, `not-found`, `projection-behind`; errors of reading.
    package func page(
        _ request: ListRequest,
        of tenant: String,
        after cursor: Cursor? = nil,
        limit: Int
    ) async throws -> ListDocument {
        let reading = try await request.open(of: tenant, in: self, after: cursor)
        if request.moment != nil { try await reading.wait(in: self, until: .now.advanced(by: waitLimit)) }
        try await reading.requireParent()
        return try await reading.document(limit: limit)
    }
}
