import Canonical
import EventLog
import Payments
package import Postgres

/// The read model `readers`: every card reader and terminal, from its own stream and from the payments it took part
/// in.
package struct ReadersProjection: Projection {
    package let name = "readers"
    package let version = 6
    package let definition = EmbeddedFiles.readers_sql
    package let contents = [
        ProjectionTable("readers", key: ["tenant", "vendor", "serial"]),
        ProjectionTable("names", key: ["tenant", "vendor", "name"]),
    ]
    package let neededIndexes: Set = ["readers_by_payment", "names_by_reader"]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var reported = try Reported.onPayments(run)
        reported += try Reported.onStreams(run)
        guard !reported.isEmpty else { return }
        reported.sort { $0.position < $1.position }
        let decided = reported.compactMap { if case .outcome(let payment) = $0.what { payment } else { nil } }
        let keys = Set(reported.flatMap { [$0.key] + $0.names.map(\.key) })
        var readers = try await ReaderRows.known(keys, orBusyWith: decided, in: transaction)
        for fact in reported {
            switch fact.what {
            case .event(let event, let payment, let isOpen):
                let at = event.report.at?.instant ?? fact.occurredAt
                let main = readers.link(fact.key, fact.names, at: at, position: fact.position)
                readers.views[main]?.fold(event, of: payment, isOpen: isOpen, at: at, position: fact.position)
            case .outcome(let payment):
                // Several names may stand for one reader, so several rows may show this payment.
                for (key, row) in readers.views where key.tenant == fact.key.tenant && row.isBusy(with: payment) {
                    readers.views[key]?.finish(payment, position: fact.position)
                }
            }
        }
        try await readers.write(in: transaction)
    }
}

/// A reader of a tenant, by the name in its stream.
struct ReaderKey: Hashable {
    var tenant: String
    var reader: ReaderReference
}

/// One name of a reader in a document, with its role.
struct ReaderName {
    var key: ReaderKey
    var role: ReaderNames.Role
    /// As reported.
    var text: String
}

/// One event of the log about a reader.
private struct Reported {
    enum What {
        case event(DeviceEvent, of: UUID128?, isOpen: Bool)
        case outcome(of: UUID128)
    }

    var key: ReaderKey
    var what: What
    var occurredAt: Timestamp
    var position: Int64

    /// The names that the report gives the reader; its serial number if it gives none.
    var names: [ReaderName] {
        guard case .event(let event, _, _) = what, event.report.reader != nil || event.report.names != nil else {
            return []
        }
        let names = event.report.names?.known ?? [(ReaderNames.Role.serial, key.reader.serial)]
        return names.map { role, text in
            let reader = StreamName.named(ReaderReference(vendor: key.reader.vendor, serial: text))
            return ReaderName(key: ReaderKey(tenant: key.tenant, reader: reader), role: role, text: text)
        }
    }

    static func onPayments(_ run: LogRun) throws(UnappliedEvent) -> [Reported] {
        var reported: [Reported] = []
        for payment in try run.payments() where payment.after.identity.cardReader != nil {
            var state = payment.before
            for step in payment.steps {
                let wasDecided = state.outcome != nil
                state.fold(step.fact, at: step.occurredAt)
                guard let reader = state.identity.cardReader else { continue }
                let what: What
                if case .device(let event) = step.fact {
                    what = .event(event, of: payment.id, isOpen: state.outcome == nil)
                } else if !wasDecided, state.outcome != nil {
                    what = .outcome(of: payment.id)
                } else {
                    continue
                }
                reported.append(
                    Reported(
                        key: ReaderKey(tenant: payment.tenant, reader: StreamName.named(reader)),
                        what: what,
                        occurredAt: step.occurredAt,
                        position: step.position
                    )
                )
            }
        }
        return reported
    }

    static func onStreams(_ run: LogRun) throws(UnappliedEvent) -> [Reported] {
        var reported: [Reported] = []
        for event in run.events {
            guard let reader = StreamName.readerReference(event.stream), let report = try event.readerReport() else {
                continue
            }
            reported.append(
                Reported(
                    key: ReaderKey(tenant: event.tenant, reader: reader),
                    what: .event(report, of: nil, isOpen: false),
                    occurredAt: event.occurredAt,
                    position: event.position
                )
            )
        }
        return reported
    }
}

extension RecordedEvent {
    /// The report in an event of a reader's stream; nil for its other events.
    func readerReport() throws(UnappliedEvent) -> DeviceEvent? {
        guard DeviceEventName(rawValue: type) != nil else { return nil }
        guard case .report(let report) = try fact(ReaderStreamEvent.self) else { return nil }
        return report
    }
}
