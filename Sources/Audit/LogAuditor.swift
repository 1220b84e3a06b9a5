package import Canonical
package import EventLog

/// Checks consecutive record lines against one another: positions, the versions of each stream, times, items and their
/// claims. Pure. Keeps 24 bytes for each stream, and 16 for each key.
package struct LogAuditor: Sendable {
    package private(set) var faults = FaultLog()
    /// The position the next line must have.
    package private(set) var next: Int64
    /// The number of events seen, including faulty ones.
    package private(set) var count: Int64 = 0
    package private(set) var lastRecordedAt: Timestamp?

    /// Whether this is a part of a log, whose events before the first line are unknown.
    private let isPart: Bool
    private let tracksKeys: Bool
    private var versions: [Fingerprint: Int64] = [:]
    private var keys: Set<Fingerprint> = []
    /// How many events of the current item are still to come, and its stream.
    private var itemRest = 0
    private var itemStream = Fingerprint()

    /// - Parameters:
    ///   - first: The position of the first line. If it is not 1, checks that need earlier events are left out.
    ///   - tracksKeys: Whether to detect keys that are claimed twice. Not needed if every claim is compared with a
    ///     table that holds each key once.
    package init(first: Int64 = 1, tracksKeys: Bool = true) {
        next = first
        isPart = first != 1
        self.tracksKeys = tracksKeys
    }

    /// Adds the next line.
    package mutating func add(_ line: RecordLine) {
        if line.position != next {
            faults.add(.position, at: next, "the line has position \(line.position)")
        }
        let position = line.position
        next = position == .max ? position : position + 1
        count += 1
        let stream = Fingerprint(line[line.tenant], line[line.stream])
        checkVersion(line, of: stream)
        if let last = lastRecordedAt, line.recordedAt < last {
            faults.add(
                .time,
                at: position,
                "recorded at \(line.recordedAt.rfc3339), the event before at \(last.rfc3339)"
            )
        }
        lastRecordedAt = line.recordedAt
        if itemRest > 0 {
            if stream != itemStream || line.claimed != nil {
                faults.add(.claims, at: position, "another item begins before the one before it is whole")
                itemRest = 0
            } else {
                itemRest -= 1
            }
        }
        if let claimed = line.claimed {
            itemRest = claimed.events - 1
            itemStream = stream
            if tracksKeys { track(claimed, of: line) }
        }
    }

    /// Adds a line that could not be read.
    package mutating func add(_ error: RecordLineError) {
        faults.add(.line, at: next, "\(error)")
        next += 1
        count += 1
        itemRest = 0
    }

    /// Reports missing positions, once for all of them.
    package mutating func skip(to position: Int64) {
        guard position > next else { return }
        faults.add(.missing, at: next, Self.missing(next, position - 1))
        next = position
        itemRest = 0
    }

    static func missing(_ first: Int64, _ last: Int64) -> String {
        first == last ? "there is no event at this position" : "there are no events at \(first) to \(last)"
    }

    /// Called at the end of the log.
    package mutating func finish() {
        if itemRest > 0 { faults.add(.claims, at: next, "the last item is not whole: it lacks \(itemRest, "event")") }
        itemRest = 0
    }

    /// The version a stream has reached; nil when it has no event.
    package func version(ofTenant tenant: String, stream: String) -> Int64? {
        versions[Fingerprint(tenant, stream)]
    }

    package var streamCount: Int { versions.count }

    private mutating func checkVersion(_ line: RecordLine, of stream: Fingerprint) {
        let known = versions.updateValue(line.version, forKey: stream)
        let before = known ?? (isPart ? line.version - 1 : 0)
        if line.version != before &+ 1 {
            faults.add(
                .version,
                at: line.position,
                "version \(line.version) of a stream that is at version \(before)"
            )
        }
    }

    private mutating func track(_ claimed: RecordLine.Claimed, of line: RecordLine) {
        for (key, _) in claimed.idempotency where !keys.insert(Fingerprint(key)).inserted {
            faults.add(.claims, at: line.position, "idempotency key \(key) was claimed before")
        }
        for reference in claimed.references
        where !keys.insert(Fingerprint(line[line.tenant], line[reference])).inserted {
            faults.add(.claims, at: line.position, "a reference key was claimed before")
        }
    }
}

/// 128 bits that represent a name. The hash has a new key in every process, so that names with the same hash cannot be
/// constructed.
struct Fingerprint: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init() {
        high = 0
        low = 0
    }

    /// The fingerprint of a tenant and a name as written in a record line.
    init(_ tenant: UnsafeBufferPointer<UInt8>, _ name: UnsafeBufferPointer<UInt8>) {
        func digest(_ salt: UInt8) -> UInt64 {
            var hasher = Hasher()
            hasher.combine(salt)
            hasher.combine(tenant.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(tenant))
            hasher.combine(bytes: UnsafeRawBufferPointer(name))
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        high = digest(0)
        low = digest(1)
    }

    /// The fingerprint of an unescaped tenant and name.
    init(_ tenant: String, _ name: String) {
        var bytes: [UInt8] = []
        JSONValue.appendQuoted(tenant, to: &bytes)
        let end = bytes.count
        JSONValue.appendQuoted(name, to: &bytes)
        self = bytes.withUnsafeBufferPointer { bytes in
            Fingerprint(
                UnsafeBufferPointer(rebasing: bytes[1..<end - 1]),
                UnsafeBufferPointer(rebasing: bytes[end + 1..<bytes.count - 1])
            )
        }
    }

    /// The fingerprint of a key that is already a hash.
    init(_ key: UUID128) {
        high = key.high
        low = key.low
    }

    func hash(into hasher: inout Hasher) { hasher.combine(low) }
}
