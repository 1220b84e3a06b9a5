package import Canonical
package import EventLog
package import Payments
package import Postgres

/// Batches as of a past position of the log. Lines come from their stored versions; status and closing come from the
/// batches' own events.
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

    /// A batch as of `position`, from all events up to it; nil when no event had named it. The read model must
    /// contain `position`.
    ///
    /// - Throws: The errors of reading the log and the read model.
    package func batch(_ id: UUID128, of tenant: String, at position: Int64) async throws -> BatchView? {
        guard let found = try await query.batch(id, of: tenant, at: position) else { return nil }
        return try await asItWas(found, of: tenant, at: position)
    }

    /// Up to `limit` batches as of `position`, newest first, before the given first position. The read model must
    /// contain `position`.
    ///
    /// - Returns: A page, and the first position of its last batch when there may be more. The page may be shorter
    ///   than `limit`, or empty, while there may be more.
    /// - Throws: The errors of reading the log and the read model.
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
        let question = Question(
            tenant: tenant,
            status: status,
            vendor: vendor,
            number: number,
            merchant: merchant,
            terminal: terminal,
            isOpen: isOpen,
            position: position,
            first: first,
            limit: limit
        )
        let kept = try await unchanged(question)
        return try await page(question, kept, try await changed(question, kept))
    }

    /// The conditions and limits of a page.
    struct Question {
        var tenant: String
        var status: BatchState.Status?
        var vendor: Vendor?
        var number: String?
        var merchant: String?
        var terminal: String?
        var isOpen: Bool?
        var position: Int64
        var first: Int64
        var limit: Int

        /// The first position of the last batch in a full page: batches after it belong to the next page.
        func end(_ kept: [BatchView]) -> Int64 { kept.count > limit ? kept.last?.firstPosition ?? 0 : 0 }
    }

    /// The matching batches without a later event, one more than the page holds; without totals.
    func unchanged(_ question: Question) async throws -> [BatchView] {
        try await query.batches(
            of: question.tenant,
            status: question.status,
            vendor: question.vendor,
            number: question.number,
            merchant: question.merchant,
            terminal: question.terminal,
            isOpen: question.isOpen,
            past: .unchanged(question.position),
            before: question.first,
            limit: question.limit + 1,
            withTotals: false
        )
    }

    /// Batches with a later event, one more than may be read; without totals.
    func changed(_ question: Question, _ kept: [BatchView]) async throws -> [BatchView] {
        try await query.batches(
            of: question.tenant,
            vendor: question.vendor,
            number: question.number,
            merchant: question.merchant,
            terminal: question.terminal,
            past: .changed(question.position),
            from: question.end(kept),
            before: question.first,
            limit: readLimit + 1,
            withTotals: false
        )
    }

    /// Assembles a page.
    ///
    /// - Parameter kept: Read before `changed`. A batch with a new event in between is in both, because read models
    ///   never go back; it is then read from the log.
    func page(
        _ question: Question,
        _ kept: [BatchView],
        _ changed: [BatchView]
    ) async throws -> (items: [BatchView], next: Int64?) {
        let (position, limit) = (question.position, question.limit)
        let gone = Set(changed.map(\.id))
        let kept = kept.filter { !gone.contains($0.id) }
        let visited = changed.prefix(readLimit)
        let isWhole = changed.count <= visited.count
        let seen = visited.last?.firstPosition ?? 0
        var items: [BatchView] = []
        for batch in visited {
            let then = try await asItWas(batch, of: question.tenant, at: position)
            guard question.status.map({ $0 == then.status }) ?? true,
                question.isOpen.map({ $0 == (then.status != .closed) }) ?? true
            else { continue }
            items.append(then)
            if items.count > limit { break }
        }
        items += kept.filter { isWhole || $0.firstPosition >= seen }
        items.sort { ($1.firstPosition, $0.id) < ($0.firstPosition, $1.id) }
        let isFull = items.count > limit
        if isFull { items.removeSubrange(limit...) }
        try await query.addTotals(to: &items, of: question.tenant, at: position)
        return (items, isFull ? items.last?.firstPosition : isWhole ? nil : seen)
    }

    /// Replaces the batch's current status and closing with those from its own events up to `position`.
    private func asItWas(_ batch: BatchView, of tenant: String, at position: Int64) async throws -> BatchView {
        var found = batch
        // A batch never returns to open, so it was open then too.
        if found.status == .open, !found.isRequested, found.closing == nil { return found }
        var state = BatchState()
        var closedAt: Timestamp?
        for event in try await reader.stream(StreamName.batch(found.reference, of: tenant), of: tenant) {
            guard event.position <= position else { break }
            state.fold(try StreamFolder<BatchState>.fact(event, at: event.position), at: event.occurredAt)
            if let closing = state.closing, closedAt == nil { closedAt = closing.at?.instant ?? event.occurredAt }
        }
        found.stand(as: state, closedAt: closedAt)
        return found
    }
}
