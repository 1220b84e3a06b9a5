package import Canonical
import Composition
package import EventLog
import Payments
import Tables

extension Lists {
    package static let events = ListDefinition<EventSelection, StoredJSON>(
        name: "events",
        summary: "Events in the order of the log, or the newest first with order=newest.",
        paths: ["events"],
        readModels: [],
        isFeed: true,
        filter: EventSelection.init,
        columns: { _ in eventColumns },
        shown: "position,recorded_at,stream,version,type,actor"
    ) { query, ledger in
        var filter = query.filter.filter
        let found: [RecordedEvent]
        switch query.filter.order {
        case .oldest:
            let named = query.filter.after.flatMap { $0.isBeginning ? nil : $0 }
            let after: Int64? = if let named, query.cursor == nil { try await ledger.known(named) } else { nil }
            found = try await ledger.reader.feed(
                of: query.tenant,
                matching: filter,
                after: query.cursor?.position ?? after ?? 0,
                limit: query.limit + 1
            )
        case .newest:
            if let cursor = query.cursor { filter.upTo = min(filter.upTo ?? .max, cursor.position - 1) }
            found = try await ledger.reader.newest(of: query.tenant, matching: filter, limit: query.limit + 1)
                .reversed()
        }
        return Page(found, query.limit) {
            StoredJSON($0.recordLine)
        } cursor: {
            Cursor(position: $0.position)
        }
    }

    package static let timeline = ListDefinition<UUID128, StoredJSON>(
        name: "timeline",
        summary: "The events of one payment, by version.",
        paths: ["transactions/{transaction}/events"],
        readModels: [],
        filter: { query throws(Refusal) in try query.requiredID("transaction") },
        columns: { _ in eventColumns },
        shown: "version,position,occurred_at,recorded_at,type,actor",
        parentExists: { query, ledger in
            let stream = StreamName.transaction(query.filter)
            return try await !ledger.reader.stream(stream, of: query.tenant, limit: 1).isEmpty
        },
        page: { query, ledger in
            let found = try await ledger.reader.stream(
                StreamName.transaction(query.filter),
                of: query.tenant,
                from: query.after + 1,
                limit: query.limit + 1
            )
            return Page(found, query.limit) {
                StoredJSON($0.recordLine)
            } cursor: {
                Cursor(position: $0.version)
            }
        }
    )

    private static let eventColumns = [
        Column("position", "position"), Column("id", "id"), Column("stream", "stream"),
        Column("version", "version"), Column("type", "type"), Column("schema", "schema"),
        Column("occurred_at", "occurredAt"), Column("recorded_at", "recordedAt"), Column("actor", "actor"),
        Column("correlation", "correlation"), Column("causation", "causation"), Column("data", "data", as: .json),
    ]
}

/// The order of events.
package enum EventOrder: String, Sendable, Hashable, CaseIterable {
    case oldest, newest
}

/// A filter of events with the order, and the position after which the list begins.
package struct EventSelection: Sendable {
    package var filter: EventFilter
    package var order: EventOrder
    package var after: EpochPosition?

    package init(_ query: inout ParameterReader) throws(Refusal) {
        filter = try EventFilter(&query)
        order = try query.choice("order", of: EventOrder.self) ?? .oldest
        after = try query.position("after")
        if after != nil, order == .newest {
            throw ParameterReader.invalid("after", "cannot be combined with order=newest")
        }
    }
}

extension EventFilter {
    /// Reads the filters of the feed.
    ///
    /// - Throws: `invalid-parameter`, `repeated-parameter`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        stream = try query.text("stream")
        type = try query.text("type")
        actor = try query.text("actor")
        upTo = try query.integer("up_to", in: 0...Int64.max)
        recordedFrom = try query.time("from")
        recordedBefore = try query.time("to")
    }
}
