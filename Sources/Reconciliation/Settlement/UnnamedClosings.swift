import Canonical
import EventLog
import Intake
import Payments
import Postgres
import Projections

/// The closing of a batch without a number.
struct UnnamedClosing {
    let batch: UnnamedBatch
    /// With the time of its event if it reports none: money made later is in the account's next batch.
    let closing: BatchClosing
    let event: RecordedEvent
    private let end: OccurrenceTime

    init(_ closing: BatchClosing, _ event: RecordedEvent) {
        end = OccurrenceTime(closing.at, event: event.occurredAt)
        var closing = closing
        closing.at = end.reported
        self.closing = closing
        self.event = event
        batch = UnnamedBatch(tenant: event.tenant, vendor: closing.batch.vendor, account: closing.batch.account)
    }

    /// Whether the money was made before the closing.
    func takes(_ line: UnnamedLine) -> Bool { !end.isBefore(line.madeAt) }

    /// The order in time: by local times if all have one, else by the times of the events.
    static func ordered(_ closings: [UnnamedClosing]) -> [UnnamedClosing] {
        let areLocal = closings.allSatisfy { $0.end.local != nil }
        return closings.sorted { left, right in
            if areLocal, let first = left.end.local, let second = right.end.local, first != second {
                return first < second
            }
            return (left.event.occurredAt, left.event.position) < (right.event.occurredAt, right.event.position)
        }
    }
}

/// Finds the unnamed batches of one account, and their closings.
struct UnnamedClosings {
    private let merchants: MerchantQuery
    private let reader: EventReader
    private let query: BatchQuery

    init(pool: PostgresPool, reader: EventReader) {
        query = BatchQuery(pool: pool)
        merchants = MerchantQuery(pool: pool)
        self.reader = reader
    }

    /// The unnamed batches of the account that the batch is of, with the batch.
    ///
    /// - Parameter position: The position up to which payments link names.
    func batches(sharing batch: UnnamedBatch, at position: Int64) async throws -> Set<UnnamedBatch> {
        guard let account = batch.account else { return [batch] }
        let name = VendorAccount(tenant: batch.tenant, vendor: batch.vendor, name: account)
        let names = try await merchants.names(ofAccountOf: name, at: position)
        let batches = names.map { UnnamedBatch(tenant: batch.tenant, vendor: batch.vendor, account: $0) }
        return Set(batches + [batch])
    }

    /// The batch with a number under each name of its account, with the batch.
    ///
    /// - Parameter position: The position up to which documents link names.
    func references(of batch: BatchReference, tenant: String, at position: Int64) async throws -> [BatchReference] {
        guard let account = batch.account else { return [batch] }
        let name = VendorAccount(tenant: tenant, vendor: batch.vendor, name: account)
        return try await merchants.names(of: name, at: position).sorted().map {
            BatchReference(vendor: batch.vendor, account: $0, number: batch.number, generation: batch.generation)
        }
    }

    /// The open batches with a number under the other names of an account, with its closed ones of the same number.
    func numbered(of account: UnnamedBatch, at position: Int64) async throws -> [(
        open: BatchReference, closed: BatchReference
    )] {
        guard let text = account.account else { return [] }
        let name = VendorAccount(tenant: account.tenant, vendor: account.vendor, name: text)
        return try await query.numbered(under: merchants.names(of: name, at: position), of: name)
    }

    /// The last closing of a batch.
    func closing(of batch: BatchReference, tenant: String) async throws -> (BatchClosing, RecordedEvent)? {
        for event in try await reader.stream(StreamName.batch(batch, of: tenant), of: tenant).reversed() {
            if case .batchClosed(let closing) = try BatchEvent(event) { return (closing, event) }
        }
        return nil
    }

    /// The batches of accounts that payments have linked to another name by an event after `start`, up to `end`.
    func accounts(linkedAfter start: Int64, upTo end: Int64) async throws -> [UnnamedBatch] {
        let found = try await merchants.accounts(linkedAfter: start, upTo: end)
        return found.map { UnnamedBatch(tenant: $0.tenant, vendor: $0.vendor, account: $0.name) }
            .sorted { ($0.tenant, $0.reference.text) < ($1.tenant, $1.reference.text) }
    }

    /// The lines without those of other merchants: a terminal may have been moved from one account to another.
    ///
    /// - Parameters:
    ///   - batch: The closed batch; the lines may be in another one of its account.
    ///   - position: The position up to which documents link names.
    func own(_ lines: [UnnamedLine], of batch: UnnamedBatch, at position: Int64) async throws -> [UnnamedLine] {
        guard let account = batch.account else { return lines }
        let name = VendorAccount(tenant: batch.tenant, vendor: batch.vendor, name: account)
        let named = Set(lines.filter { $0.batch != batch }.compactMap(\.merchant))
        let strangers = try await merchants.strangers(among: named, to: name, at: position)
        return lines.filter { $0.batch == batch || !($0.merchant.map(strangers.contains) ?? false) }
    }

    /// The closings of these batches, the earliest first.
    func closings(of batches: Set<UnnamedBatch>) async throws -> [UnnamedClosing] {
        var found: [UnnamedClosing] = []
        for batch in batches {
            for event in try await reader.stream(StreamName.batch(batch.reference, of: batch.tenant), of: batch.tenant)
            {
                guard case .batchClosed(let closing) = try BatchEvent(event) else { continue }
                found.append(UnnamedClosing(closing, event))
            }
        }
        return UnnamedClosing.ordered(found)
    }
}
