import Access
import Canonical
import Composition
import DaybookAPI
import EventLog
import HTTPEdge
import HTTPTypes
import Operations

extension WebConsole {
    /// Notifies open pages of new events, by count and position only.
    func addLive(to router: inout EdgeRouter<Principal>) {
        router.on(.get, "/console/live", .init(span: .live)) { request in
            try await API.mapping {
                guard let visit = try await visit(request, isUse: false) else { throw Problem.signedOut }
                guard visit.may([.audit, .read]) else { throw Problem.notFound }
                var query = visit.query
                let named = try query.position("after")
                try query.finish()
                let head = try await ledger.evidence.head()
                var start = head.position
                // The beginning of the log is the same in every epoch.
                if let named { start = named.isBeginning ? 0 : try named.position(in: head.epoch.number, upTo: start) }
                return live(visit, from: start, in: head.epoch.number)
            }
        }
    }

    /// Ends when the log is in another epoch. The page then connects again, and receives the position there.
    private func live(_ visit: Visit, from start: Int64, in epoch: Int64) -> EdgeResponse {
        @Sendable func id(_ position: Int64) -> String { EpochPosition(epoch: epoch, position: position).text }
        return .events { writer in
            var position = start
            // This reports the events from before the connection.
            let beginning: JSONValue = ["position": .number(.init(start))]
            try await writer.send(ServerSentEvent(id: id(start), type: "listening", data: beginning.text))
            while true {
                try await ledger.log.waitForAppend(beyond: position)
                let now = try await ledger.evidence.head()
                guard now.epoch.number == epoch else { return }
                let end = now.position
                guard end > position else { continue }
                // A session that has ended gets no more events.
                guard let session = try await sessions.session(of: visit.token, isUse: false) else { return }
                var filter = EventFilter()
                filter.upTo = end
                let found = try await ledger.reader.feed(
                    of: session.principal.tenant,
                    matching: filter,
                    after: position,
                    limit: 500
                )
                position = found.count == 500 ? found.last?.position ?? end : end
                guard !found.isEmpty else { continue }
                let news: JSONValue = [
                    "events": .number(.init(Int64(found.count))), "position": .number(.init(position)),
                ]
                try await writer.send(ServerSentEvent(id: id(position), type: "appended", data: news.text))
            }
        }
    }
}

extension Problem {
    fileprivate static let signedOut = Problem(status: 401, code: "signed-out", title: "There is no session")
}
