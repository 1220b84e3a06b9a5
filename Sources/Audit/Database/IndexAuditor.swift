import Canonical
import EventLog

/// A row of `ledger.idempotency`.
struct IdempotencyRow: Sendable {
    var key: UUID128
    var request: [UInt8]
    var position: Int64
    var events: Int
}

/// A row of `ledger.reference_keys`.
struct ReferenceRow: Sendable {
    var tenant: String
    var key: String
    var stream: String
    var position: Int64
}

/// A row of `ledger.streams`.
struct StreamRow: Sendable {
    var tenant: String
    var stream: String
    var position: Int64
}

/// Compares the tables that are indexes of the log with its lines, event by event. Pure.
struct IndexAuditor: Sendable {
    private(set) var faults = FaultLog()

    /// - Parameters:
    ///   - line: The event.
    ///   - keys: The rows that name its position.
    ///   - references: The rows that name its position.
    ///   - streams: The rows of streams that begin at its position.
    mutating func compare(
        _ line: RecordLine,
        keys: [IdempotencyRow],
        references: [ReferenceRow],
        streams: [StreamRow]
    ) {
        compareKeys(line, keys)
        compareReferences(line, references)
        compareStreams(line, streams)
    }

    /// Reports rows that name a position without an event that could explain them.
    mutating func report(keys: [IdempotencyRow], references: [ReferenceRow], streams: [StreamRow]) {
        for row in keys { extra(row) }
        for row in references { extra(row) }
        for row in streams { extra(row) }
    }

    private mutating func compareKeys(_ line: RecordLine, _ rows: [IdempotencyRow]) {
        var rows = rows
        for claim in line.claimed?.idempotency ?? [] {
            guard let index = rows.firstIndex(where: { $0.key == claim.key }) else {
                faults.add(.idempotency, at: line.position, "there is no row for key \(claim.key)")
                continue
            }
            let row = rows.remove(at: index)
            if row.request != claim.request {
                faults.add(.idempotency, at: line.position, "key \(claim.key) has the digest of another request")
            }
            if row.events != line.claimed?.events {
                faults.add(.idempotency, at: line.position, "key \(claim.key) has another number of events")
            }
        }
        for row in rows { extra(row) }
    }

    private mutating func compareReferences(_ line: RecordLine, _ rows: [ReferenceRow]) {
        var rows = rows
        for reference in line.claimed?.references ?? [] {
            let found = rows.firstIndex { line.says($0.key, at: reference) && line.says($0.tenant, at: line.tenant) }
            guard let found else {
                faults.add(.reference, at: line.position, "there is no row for a key that the event claims")
                continue
            }
            if !line.says(rows.remove(at: found).stream, at: line.stream) {
                faults.add(.reference, at: line.position, "the row of a key leads to another stream")
            }
        }
        for row in rows { extra(row) }
    }

    private mutating func compareStreams(_ line: RecordLine, _ rows: [StreamRow]) {
        var isFound = line.version != 1
        for row in rows {
            if !isFound, line.says(row.tenant, at: line.tenant), line.says(row.stream, at: line.stream) {
                isFound = true
            } else {
                extra(row)
            }
        }
        if !isFound { faults.add(.stream, at: line.position, "there is no row for the stream that begins here") }
    }

    private mutating func extra(_ row: IdempotencyRow) {
        faults.add(.idempotency, at: row.position, "the event does not claim key \(row.key), which has a row")
    }

    private mutating func extra(_ row: ReferenceRow) {
        faults.add(.reference, at: row.position, "the event does not claim a key that has a row")
    }

    private mutating func extra(_ row: StreamRow) {
        faults.add(.stream, at: row.position, "a stream has a row with this position, but does not begin here")
    }
}
