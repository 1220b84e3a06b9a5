import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import HTTPTypes
import Operations

extension API {
    func addEvents(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/v1/events/stream", .init(span: .live)) { try await live($0) }
        router.on(.get, "/v1/events/{position}") { try await event($0) }
    }

    private func event(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .audit, .read)
        try request.query.finish()
        guard let position = Int64(try request.parameter("position")), position > 0,
            let found = try await ledger.reader.event(at: position, of: principal.tenant)
        else { throw Problem.notFound }
        return .bytes(Array(found.recordLine.utf8), type: "application/json")
    }

    /// The tenant's events as they are appended. The id of each is its position, so that a disconnected client can
    /// continue with `Last-Event-ID`. Ends when the log is in another epoch; that id is refused then.
    private func live(_ request: Request) async throws -> EdgeResponse {
        let principal = try principal(request, .audit, .read)
        var query = request.query
        let filter = try EventFilter(&query)
        let after = try query.position("after")
        try query.finish()
        let head = try await ledger.evidence.head()
        var from = head.position
        if let last = request.fields[.lastEventID] {
            guard let named = EpochPosition(last) else { throw ParameterReader.invalid("Last-Event-ID") }
            from = try named.position(in: head.epoch.number, upTo: head.position)
        } else if let after {
            from = after.isBeginning ? 0 : try after.position(in: head.epoch.number, upTo: head.position)
        }
        let start = from
        return .events { writer in
            var position = start
            while true {
                let now = try await ledger.evidence.head()
                guard now.epoch.number == head.epoch.number else { return }
                let end = now.position
                var bounded = filter
                bounded.upTo = min(filter.upTo ?? end, end)
                let found = try await ledger.reader.feed(
                    of: principal.tenant,
                    matching: bounded,
                    after: position,
                    limit: 500
                )
                for event in found {
                    let id = EpochPosition(epoch: now.epoch.number, position: event.position).text
                    try await writer.send(.init(id: id, type: event.type, data: event.recordLine))
                }
                position = found.count == 500 ? found.last?.position ?? end : max(position, end)
                if let last = filter.upTo, position >= last { return }
                if found.count < 500 { try await ledger.log.waitForAppend(beyond: position) }
            }
        }
    }
}
