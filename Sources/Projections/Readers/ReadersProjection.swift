import Canonical
import EventLog
import Payments
package import Postgres

/// The read model `readers`: every card reader and terminal, from its own stream and from the payments it took part
/// in.
package struct ReadersProjection: Projection {
    package let name = "readers"
    package let version = 3
    package let definition = EmbeddedFiles.readers_sql
    package let contents = [ProjectionTable("readers", key: ["tenant", "vendor", "serial"])]
    package let neededIndexes: Set = ["readers_by_payment"]

    package init() {}

    package func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws {
        var reported = try Reported.onPayments(run)
        reported += try Reported.onStreams(run)
        guard !reported.isEmpty else { return }
        reported.sort { $0.position < $1.position }
        let decided = reported.compactMap { if case .outcome(let payment) = $0.what { payment } else { nil } }
        var rows = try await known(Set(reported.map(\.key)), orBusyWith: decided, in: transaction)
        for fact in reported {
            switch fact.what {
            case .event(let event, let payment, let isOpen):
                let at = event.report.at?.instant ?? fact.occurredAt
                rows[fact.key, default: ReaderView(fact.key.reader, at: at, position: fact.position)]
                    .fold(event, of: payment, isOpen: isOpen, at: at, position: fact.position)
            case .outcome(let payment):
                // Several names may stand for one reader, so several rows may show this payment.
                for (key, row) in rows where key.tenant == fact.key.tenant && row.isBusy(with: payment) {
                    rows[key]?.finish(payment, position: fact.position)
                }
            }
        }
        try await write(rows, in: transaction)
    }

    private func known(
        _ keys: Set<Key>,
        orBusyWith payments: [UUID128],
        in transaction: borrowing PostgresTransaction
    ) async throws -> [Key: ReaderView] {
        let keys = Array(keys)
        let rows = try await transaction.query(
            """
            SELECT r.tenant, r.view::text FROM readers r
            JOIN unnest($1::text[], $2::text[], $3::text[]) AS k (tenant, vendor, serial)
                USING (tenant, vendor, serial)
            UNION ALL
            SELECT r.tenant, r.view::text FROM readers r WHERE r.payment = ANY ($4::uuid[])
            """,
            [
                .textArray(keys.map(\.tenant)),
                .textArray(keys.map(\.reader.vendor.rawValue)),
                .textArray(keys.map(\.reader.serial)),
                .uuidArray(payments),
            ]
        )
        var known: [Key: ReaderView] = [:]
        for row in rows {
            let view = try JSONValueDecoder().decode(ReaderView.self, from: JSONValue(parsing: row.text(1).utf8))
            known[Key(tenant: try row.text(0), reader: view.reader)] = view
        }
        return known
    }

    /// The kinds of errors of each reader, as PostgreSQL writes a list.
    private static func errors(_ readers: [ReaderView]) -> PostgresArrayBuilder {
        var lists = PostgresArrayBuilder.text()
        for reader in readers { lists.append(PostgresListText(reader.faults.map(\.kind.storable)).bytes) }
        return lists
    }

    private func write(_ rows: [Key: ReaderView], in transaction: borrowing PostgresTransaction) async throws {
        guard !rows.isEmpty else { return }
        let rows = Array(rows)
        _ = try await transaction.execute(
            EmbeddedFiles.readerUpsert_sql,
            [
                .textArray(rows.map(\.key.tenant)),
                .textArray(rows.map(\.key.reader.vendor.rawValue)),
                .textArray(rows.map(\.key.reader.serial)),
                .int64Array(rows.map(\.value.firstPosition)),
                .int64Array(rows.map(\.value.lastPosition)),
                .timestamptzArray(rows.map(\.value.lastSeen)),
                .int32Array(rows.map { $0.value.battery.map(Int32.init(clamping:)) }),
                .boolArray(rows.map(\.value.isCharging)),
                .boolArray(rows.map(\.value.holdsResult)),
                .uuidArray(rows.map { $0.value.payment.flatMap { UUID128($0.transaction) } }),
                .boolArray(rows.map(\.value.isUpdateDue)),
                .array(Self.errors(rows.map(\.value))),
                .jsonArray(try rows.map { try JSONValueEncoder().encode($0.value).text }),
            ]
        )
    }
}

/// A reader of a tenant, by the name in its stream.
private struct Key: Hashable {
    var tenant: String
    var reader: ReaderReference
}

/// One event of the log about a reader.
private struct Reported {
    enum What {
        case event(DeviceEvent, of: UUID128?, isOpen: Bool)
        case outcome(of: UUID128)
    }

    var key: Key
    var what: What
    var occurredAt: Timestamp
    var position: Int64

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
                        key: Key(tenant: payment.tenant, reader: StreamName.named(reader)),
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
            guard let reader = StreamName.readerReference(event.stream),
                DeviceEventName(rawValue: event.type) != nil, case .report(let report) = try fact(event)
            else { continue }
            reported.append(
                Reported(
                    key: Key(tenant: event.tenant, reader: reader),
                    what: .event(report, of: nil, isOpen: false),
                    occurredAt: event.occurredAt,
                    position: event.position
                )
            )
        }
        return reported
    }

    private static func fact(_ event: RecordedEvent) throws(UnappliedEvent) -> ReaderStreamEvent {
        if let fact = event.source.value as? ReaderStreamEvent { return fact }
        do {
            let data = try JSONValue(parsing: event.data.utf8)
            return try ReaderStreamEvent(type: event.type, schema: event.schema, data: data)
        } catch {
            throw UnappliedEvent(position: event.position, cause: error)
        }
    }
}
