package import Tables

/// The format of a whole list.
package enum ListForm: Sendable {
    /// One JSON document a line.
    case lines
    case csv(CSVDialect, Table)
}

/// A whole list, written page after page, with at most two pages in memory. Events that are appended meanwhile neither
/// repeat an item nor skip one.
package struct ListExport: Sendable {
    /// The most items of a page.
    package static let pageLimit = 1000

    private let reading: ListReading
    private let form: ListForm
    private let limit: Int?
    private let first: ListPage

    /// Reads the first page, so that errors are thrown before anything is written.
    ///
    /// - Parameter limit: The most items; nil for all.
    /// - Throws: The errors of `ListReading.page`.
    package init(_ reading: ListReading, as form: ListForm, limit: Int? = nil) async throws {
        self.reading = reading
        self.form = form
        self.limit = limit
        first = try await reading.page(after: reading.start, limit: min(limit ?? Self.pageLimit, Self.pageLimit))
    }

    /// Writes the list; each page is written while the next one is read.
    ///
    /// - Returns: The number of items, and the cursor of the rest if the limit ended the list.
    @discardableResult
    package func run(_ write: ([UInt8]) async throws -> Void) async throws -> (items: Int, next: Cursor?) {
        try await write(beginning)
        var page = first
        var count = page.items.count
        while let next = page.next {
            let rest = limit.map { $0 - count } ?? Self.pageLimit
            guard rest > 0 else {
                try await write(bytes(page.items))
                return (count, next)
            }
            async let following = reading.page(after: next, limit: min(rest, Self.pageLimit))
            try await write(bytes(page.items))
            page = try await following
            count += page.items.count
        }
        try await write(bytes(page.items))
        return (count, nil)
    }

    private var beginning: [UInt8] {
        switch form {
        case .lines: []
        case .csv(let dialect, let table): dialect.beginning + dialect.line(table.head)
        }
    }

    private func bytes(_ items: [ListItem]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        switch form {
        case .lines:
            for item in items {
                bytes.append(contentsOf: item.text.utf8)
                bytes.append(0x0A)
            }
        case .csv(let dialect, let table):
            for item in items { dialect.append(table.row(of: try item.json()), to: &bytes) }
        }
        return bytes
    }
}
