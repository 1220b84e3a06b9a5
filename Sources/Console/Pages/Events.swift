import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Merkle
import Operations
import Payments

extension WebConsole {
    func addEvents(to router: inout EdgeRouter<Principal>) {
        addPage(.events, needs: [.audit, .read], to: &router) { try await events($0) }
        addPage(.event, needs: [.audit, .read], to: &router) { .page(try await event($0)) }
        addPage(.proof, needs: [.audit, .read], to: &router) {
            .other(try await proof($0))
        }
        addPage(.logKey, needs: [.audit, .read], to: &router) { visit in
            try visit.query.finish()
            guard !ledger.signing.verifierKeys.isEmpty else { throw Problem.notFound }
            return .other(.text(ledger.signing.verifierKeys.map { $0.text + "\n" }.joined()))
        }
    }

    private static let filters = FilterForm(
        action: "\(Address.root)/events",
        fields: [
            FilterField("type", "Type", hint: "such as AuthorizationApproved"), FilterField("stream", "Stream"),
            FilterField("actor", "Actor", hint: "such as key:…"), FilterField("from", "Recorded from", .time),
            FilterField("to", "Recorded before", .time),
        ]
    )

    private func events(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = "\(Address.root)/events"
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.events.pageSize)
        let filter = try EventFilter(&reader)
        try reader.finish()
        let found = try await ledger.reader.newest(of: visit.tenant, matching: filter, limit: limit + 1)
        // The newest event comes first; the one beyond the limit is the oldest.
        let items = Array(found.reversed().prefix(limit))
        let next = found.count > limit ? items.last.map { "\($0.position - 1)" } : nil
        var page = Page(
            "events",
            "Audit log",
            [
                "filters": Self.filters.value(query, visit.zone), "table": eventTable(items, visit).value,
                "next": next.map { .text(query.address(path, ["up_to": $0])) },
                "first": filter.upTo.map { _ in .text(query.address(path, ["up_to": nil])) },
            ]
        )
        page.place = visit.place
        page.place?["order"] = EventOrder.newest.rawValue
        return .page(page)
    }

    func eventTable(_ events: [RecordedEvent], _ visit: Visit) -> Table {
        Table(
            caption: "Events, newest first",
            columns: ["Position#", "Recorded", "Type", "Stream", "Version#", "Actor"],
            rows: events.map { event in
                [
                    .number("\(event.position)", href: Address.event(event.position)),
                    .time(event.recordedAt, in: visit.zone), Cell(Wording.sentence(event.type)),
                    .code(event.stream, href: Self.place(ofStream: event.stream)), .count(event.version),
                    .code(event.actor),
                ]
            },
            whenEmpty: "No events found. If you set filters, change them."
        )
    }

    /// The address of the page of a stream's subject; nil if there is no such page.
    static func place(ofStream stream: String) -> String? {
        if let id = StreamName.transactionID(stream) { return Address.transaction(id) }
        if let id = StreamName.batchID(stream) { return Address.batch(id) }
        if let id = StreamName.checkoutID(stream) { return Address.checkout(id) }
        if let id = StreamName.statementID(stream) { return Address.statement(id.description) }
        if let id = StreamName.exceptionID(stream) { return Address.exception(id.description) }
        return StreamName.readerReference(stream).map { Address.reader($0.vendor.rawValue, $0.serial) }
    }

    private func event(_ visit: Visit) async throws -> Page {
        try visit.query.finish()
        let event = try await found(visit)
        var facts = Facts()
        facts.add("Type", "\(event.type), schema \(event.schema)")
        facts.add("Stream", .code(event.stream, href: Self.place(ofStream: event.stream)))
        facts.add("Version", "\(event.version)")
        facts.add("Happened", .time(event.occurredAt, in: visit.zone))
        facts.add("Recorded", .time(event.recordedAt, in: visit.zone))
        facts.add("Actor", .code(event.actor))
        facts.add("Correlation", .code(event.correlation))
        facts.add("Id", .code(event.id.description))
        facts.add("Caused by event", .code(event.causation?.description))
        let data = try JSONValue(parsing: event.data.utf8)
        return Page(
            "event",
            "Event \(event.position)",
            [
                "facts": facts.value, "data": .text(IndentedJSON.text(data)), "line": .text(event.recordLine),
                "proof": .text("\(Address.event(event.position))/proof"), "logKey": .text("\(Address.root)/log-key"),
                "position": "\(event.position)",
            ]
        )
    }

    /// The proof of an event, as the API returns it.
    private func proof(_ visit: Visit) async throws -> EdgeResponse {
        try visit.query.finish()
        guard let proof = try await ledger.evidence.proof(of: try await found(visit)) else {
            throw Problem(
                status: 503,
                code: "proof-not-ready",
                title: "No checkpoint covers the event yet",
                retryable: true,
                retryAfterSeconds: 1,
                outcome: .known
            )
        }
        return try .document(EventProofJSON(proof))
    }

    private func found(_ visit: Visit) async throws -> RecordedEvent {
        guard let position = Int64(try visit.request.parameter("position")), position > 0,
            let event = try await ledger.reader.event(at: position, of: visit.tenant)
        else { throw Problem.notFound }
        return event
    }
}
