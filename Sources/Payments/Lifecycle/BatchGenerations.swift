package import Canonical

/// The uses of one batch number of an account whose closing is recorded, and the rules by which documents that name
/// only the number join one of them.
///
/// A generation lasts from the closing before it to its own, and takes money of at most the last 30 days. Generations
/// are numbered in the order in which their closings were recorded, so that an id never changes; their order in time is
/// that of the closings. Money of a use whose closing is missing is in a generation that is named by the day: 20260110.
package struct BatchGenerations: Sendable, Hashable {
    package struct Closed: Sendable, Hashable {
        package var generation: Int
        package var closing: BatchClosing
        /// The time of the closing; that of its event if it reports none.
        package var end: OccurrenceTime
        /// The position of the event of the closing.
        package var position: Int64

        package init(generation: Int, closing: BatchClosing, occurredAt: Timestamp, position: Int64) {
            self.generation = generation
            self.closing = closing
            end = OccurrenceTime(closing.at, event: occurredAt)
            self.position = position
        }
    }

    /// What reports no time may be this much later than the closing of the batch that it belongs to: a day.
    package static let lateMicroseconds: Int64 = 86_400_000_000
    /// Closings that are less apart are about the same use of the number, even if they disagree: an hour.
    package static let closingMicroseconds: Int64 = 3_600_000_000

    /// Money that is older than this at a closing is of an earlier use of the number, whose closing is missing: 30
    /// days. Not if it is older by more than five years: then a clock was wrong.
    private static let missingMicroseconds: ClosedRange<Int64> = 30 * lateMicroseconds...1_826 * lateMicroseconds
    /// The first number of a generation that is named by its day.
    private static let firstDay = 10_000_000

    package private(set) var closed: [Closed] = []

    package init(_ closed: [Closed] = []) { self.closed = closed }

    package var isEmpty: Bool { closed.isEmpty }

    package subscript(generation: Int) -> Closed? { closed.first { $0.generation == generation } }

    /// The closing of a generation that takes money of this time. A generation has several only if they were recorded
    /// under different names of an account.
    package func closing(of generation: Int, at time: OccurrenceTime) -> Closed? {
        let own = closed.filter { $0.generation == generation }
        return own.filter { !$0.end.isBefore(time) }.min { $0.end.isBefore($1.end) } ?? own.first
    }

    /// The generation whose closing is not recorded yet.
    package var open: Int { (closed.map(\.generation).filter { $0 < Self.firstDay }.max() ?? 0) + 1 }

    /// True for the generation of a use whose closing is missing.
    package static func isMissingClosing(_ generation: Int) -> Bool { generation >= firstDay }

    /// The generation to which money belongs, or another fact about the batch than a closing: the one with the first
    /// closing that is not earlier. What is later than every closing is in the open one. If only its event shows that,
    /// it may be a late report, and belongs to the last closed one for a day.
    ///
    /// - Parameters:
    ///   - at: The time of the fact; that of its event if it reports none.
    ///   - isInstantReported: Whether the instant is one that the fact reports, and not that of its event.
    ///   - position: The position of the fact. If it was recorded before a closing, it may be an hour later than it,
    ///     because clocks differ.
    package func generation(at: OccurrenceTime, isInstantReported: Bool, recordedAt position: Int64? = nil) -> Int {
        if let position, let last = closed.filter({ $0.end.isBefore(at) }).max(by: { $0.end.isBefore($1.end) }),
            position < last.position, last.end.distance(to: at) <= Self.closingMicroseconds
        {
            return last.generation
        }
        if let next = closed.filter({ !$0.end.isBefore(at) }).min(by: { $0.end.isBefore($1.end) }) {
            let isMissing = Self.missingMicroseconds.contains(next.end.distance(to: at))
            return isMissing ? at.day ?? next.generation : next.generation
        }
        guard !isInstantReported, let last = closed.max(by: { $0.end.isBefore($1.end) }) else { return open }
        // A local time shows it if the closing's is local too, or if it is later in every zone.
        if let local = at.local, let end = last.end.reported, end.isBefore(.local(local)) { return open }
        return last.end.distance(to: at) <= Self.lateMicroseconds ? last.generation : open
    }

    /// The generation that a report about a closing is about: one that is closed already if this is another report of
    /// its closing, else the open one. A request or a failure may also be from before a recorded closing.
    ///
    /// - Parameters:
    ///   - at: The time of the report; that of its event if it reports none.
    ///   - isClosed: Whether it reports that the batch was closed.
    package func generation(of closing: BatchClosing, at: OccurrenceTime, isClosed: Bool) -> Int? {
        if let known = closed.first(where: { $0.isClosed(by: closing, at: at) }) { return known.generation }
        guard !isClosed else { return nil }
        let found = generation(at: at, isInstantReported: closing.at?.instant != nil)
        return self[found]?.generation
    }

    /// True if the money belongs to an earlier use of the number than one that was closed before the money was
    /// recorded.
    package func isLate(_ generation: Int, recordedAt position: Int64) -> Bool {
        guard let own = self[generation] else { return false }
        return closed.contains { own.end.isBefore($0.end) && $0.position < position }
    }
}

extension BatchGenerations.Closed {
    /// Whether this one was recorded before another one of the same generation, and is not the same closing.
    package func isAnotherClosing(before other: BatchGenerations.Closed) -> Bool {
        generation == other.generation && position < other.position && !isClosed(by: other.closing, at: other.end)
    }

    /// Whether the reported closing is of this generation.
    fileprivate func isClosed(by reported: BatchClosing, at: OccurrenceTime) -> Bool {
        let distance = end.distance(to: at)
        if distance <= BatchGenerations.closingMicroseconds { return true }
        let isSame = reported.settlement != nil && reported.settlement == closing.settlement
        guard let own = closing.at, let other = reported.at else {
            // Only reports without a time may be as late as a day, or later if they name the same settlement. Two that
            // name nothing may be those of two days.
            let isNamed = [reported, closing].contains { $0.settlement != nil || $0.totals != nil }
            return isSame
                || isNamed && distance <= BatchGenerations.lateMicroseconds && reported.agrees(with: closing)
        }
        if isSame, distance <= BatchGenerations.lateMicroseconds { return true }
        // The event of one of them may be later. An instant and a local time may be the same in some zone.
        return (own.local == nil) != (other.local == nil) && !own.isBefore(other) && !other.isBefore(own)
            && !reported.contradicts(closing)
    }
}

extension OccurrenceTime {
    /// The day as a number: 20260110.
    fileprivate var day: Int? {
        guard let shown = local?.asUTC ?? instant else { return nil }
        return Int(shown.rfc3339.prefix(10).filter { $0 != "-" })
    }

    /// The microseconds between two times: by their local times if both have one, else by their instants.
    fileprivate func distance(to other: OccurrenceTime) -> Int64 {
        func magnitude(_ own: Int64, _ other: Int64) -> Int64 { Int64(clamping: (own - other).magnitude) }
        if let local, let other = other.local {
            return magnitude(local.microsecondsSince1970, other.microsecondsSince1970)
        }
        guard let instant, let other = other.instant else { return .max }
        return magnitude(instant.microsecondsSince1970, other.microsecondsSince1970)
    }
}

extension BatchClosing {
    /// True if both name a settlement or totals, and these differ.
    fileprivate func contradicts(_ other: BatchClosing) -> Bool {
        func differ<Value: Equatable>(_ own: Value?, _ other: Value?) -> Bool {
            own != nil && other != nil && own != other
        }
        return differ(settlement, other.settlement) || differ(totals, other.totals)
    }

    /// True if this is a repeat of the same closing: the settlement is the same or not named, and the totals are the
    /// same or not reported.
    func agrees(with earlier: BatchClosing) -> Bool {
        (settlement == nil || settlement == earlier.settlement) && (totals == nil || totals == earlier.totals)
    }
}

extension BatchEvent {
    /// The same fact, about one generation of the number that it names.
    package func about(_ batch: BatchReference) -> BatchEvent {
        func named(_ closing: BatchClosing) -> BatchClosing {
            var closing = closing
            closing.batch = batch
            return closing
        }
        switch self {
        case .batchCloseRequested(let closing): return .batchCloseRequested(named(closing))
        case .batchClosed(let closing): return .batchClosed(named(closing))
        case .batchCloseFailed(let closing): return .batchCloseFailed(named(closing))
        case .batchOutOfBalance(var imbalance):
            imbalance.batch = batch
            return .batchOutOfBalance(imbalance)
        case .documentReceived, .batchLinked, .anomalyRaised: return self
        }
    }
}
