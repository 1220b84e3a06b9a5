package import Canonical
package import EventLog
package import Payments
package import Postgres

/// Batches as they were when the log ended somewhere: by the forms their lines had, and by what their own events had said.
package struct PastBatches: Sendable {
    private let query: BatchQuery
    private let reader: EventReader
    private let readLimit: Int

    /// - Parameter readLimit: The most batches whose own events are read for one page.
    package init(pool: PostgresPool, reader: EventReader, readLimit: Int = 1000) {
        query = BatchQuery(pool: pool)
        self.reader = reader
        self.readLimit = readLimit
    }

    /// A batch as it was when everything up to `position` was in; nil when nothing had named it. The read model contains
    /// `position`.
    ///
    /// - Throws: What reading the log and the read model throws.
    package func batch(_ id: UUID128, of tenant: String, at position: Int64) async throws -> BatchView? {
        guard let found = try await query.batch(id, of: tenant, at: position) else { return nil }
        return try await asItWas(found, of: tenant, at: position)
    }

    /// Up to `limit` batches as they were when everything up to `position` was in, newest first, before the given first
    /// position. The read model contains `position`.
    ///
    /// - Returns: A page, and the first position of its last batch where there may be more. It may be shorter than was
    ///   asked for, or empty, while there may be more.
    /// - Throws: What reading the log and the read model throws.
    package func batches(
        of tenant: String,
        status: BatchState.Status? = nil,
        vendor: Vendor? = nil,
        number: String? = nil,
        merchant: String? = nil,
        terminal: String? = nil,
        isOpen: Bool? = nil,
        at position: Int64,
        before first: Int64 = .max,
        limit: Int
    ) async throws -> (items: [BatchView], next: Int64?) {
        let kept = try await query.batches(
            of: tenant,
            status: status,
            vendor: vendor,
            number: number,
            merchant: merchant,
            terminal: terminal,
            isOpen: isOpen,
            past: .unchanged(position),
            before: first,
            limit: limit + 1
        )
        let changed = try await query.batches(
            of: tenant,
            vendor: vendor,
            number: number,
            merchant: merchant,
            terminal: terminal,
            past: .changed(position),
            before: first,
            limit: readLimit + 1
        )
        // What comes behind the last of a full page is for a page after it.
        let end = kept.count > limit ? kept.last?.firstPosition ?? 0 : 0
        let looked = changed.prefix(readLimit)
        let seen = changed.count > looked.count ? looked.last?.firstPosition ?? 0 : 0
        let isWhole = seen <= end
        var items: [BatchView] = []
        for batch in looked where batch.firstPosition >= end {
            let then = try await asItWas(batch, of: tenant, at: position)
            guard status.map({ $0 == then.status }) ?? true, isOpen.map({ $0 == (then.status != .closed) }) ?? true
            else { continue }
            items.append(then)
            if items.count > limit { break }
        }
        items += kept.filter { isWhole || $0.firstPosition >= seen }
        items.sort { ($1.firstPosition, $0.id) < ($0.firstPosition, $1.id) }
        guard items.count <= limit else {
            items.removeSubrange(limit...)
            return (items, items.last?.firstPosition)
        }
        return (items, isWhole ? nil : seen)
    }

    /// Puts what the batch's own events had said by then in the place of what they say now.
    private func asItWas(_ batch: BatchView, of tenant: String, at position: Int64) async throws -> BatchView {
        var found = batch
        // Nothing ever returns to open.
        if found.status == .open, !found.isRequested, found.closing == nil { return found }
        var state = BatchState()
        var closedAt: Timestamp?
        for event in try await reader.stream(StreamName.batch(found.reference, of: tenant), of: tenant) {
            guard event.position <= position else { break }
            state.fold(try StreamFolder<BatchState>.fact(event, at: event.position), at: event.occurredAt)
            if let closing = state.closing, closedAt == nil { closedAt = closing.at ?? event.occurredAt }
        }
        found.stand(as: state, closedAt: closedAt)
        return found
    }
}
