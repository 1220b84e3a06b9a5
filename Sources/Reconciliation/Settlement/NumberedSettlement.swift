import Canonical
import EventLog
import Intake
import Payments
import Postgres
import Projections

/// Settles the money in batches with a number, each line in the generation of the number that it was made in.
struct NumberedSettlement {
    private static let page = 500
    /// The events that report lines of money with their batches.
    private static let reports: Set = ["Captured", "CreditApproved", "Refunded"]

    private let batches: BatchQuery
    private let reader: EventReader
    private let recorder: SettlementRecorder

    init(pool: PostgresPool, reader: EventReader, recorder: SettlementRecorder) {
        batches = BatchQuery(pool: pool)
        self.reader = reader
        self.recorder = recorder
    }

    /// The generation that a closing closes, if it is another one than that on whose stream it was sent: that one was
    /// closed before, at another time, perhaps under the name of the account.
    func otherGeneration(of closing: BatchClosing, _ event: RecordedEvent) async throws -> Int? {
        let known = try await batches.generations(of: closing.batch, tenant: event.tenant)
        guard known[closing.batch.generation] != nil, !known.closed.contains(where: { $0.position == event.position })
        else { return nil }
        let at = OccurrenceTime(closing.at, event: event.occurredAt)
        let found = known.generation(of: closing, at: at, isClosed: true) ?? known.open
        return found == closing.batch.generation ? nil : found
    }

    /// Settles the members of a batch that was just closed, and moves lines that its closing shows to be in another
    /// generation: those made after it or long before it, and lines of it that are in one that is open or closed later.
    /// Lines that were made later may also wait in the one that was closed before: earlier builds left them there.
    func settle(_ batch: BatchReference, by closing: BatchClosing, cause: RecordedEvent) async throws {
        let generations = try await batches.generations(of: batch, tenant: cause.tenant)
        let own = generations.closed.first { $0.position == cause.position } ?? generations[batch.generation]
        let later = generations.closed.filter { closed in own.map { $0.end.isBefore(closed.end) } ?? false }
        let earlier = generations.closed.filter { closed in own.map { closed.end.isBefore($0.end) } ?? false }
            .filter { $0.generation != batch.generation }
        let previous = earlier.max { $0.end.isBefore($1.end) }
        // One under another name of the account stays open, although its number is closed.
        let open = try await batches.openGenerations(of: batch, tenant: cause.tenant)
            .filter { generations[$0] == nil }
        let others = later.map(\.generation) + open + (previous.map { [$0.generation] } ?? [])
        for generation in Set([batch.generation] + others).sorted() {
            let isOwn = generation == batch.generation
            let isPrevious = generation == previous?.generation
            var last: BatchedLine?
            repeat {
                let lines = try await batches.money(
                    in: batch.inGeneration(generation),
                    tenant: cause.tenant,
                    madeAfter: isPrevious ? previous?.end : nil,
                    after: last,
                    limit: Self.page
                )
                // Lines voided before the closing are not settled.
                let unvoided = lines.filter(\.hasMoney)
                func isInPlace(_ line: BatchedLine) -> Bool {
                    // What may be in the open generation is read from its event, which shows whether it has a time.
                    generations.isEmpty
                        || generations.generation(at: line.madeAt, isInstantReported: true) == generation
                }
                // The generation may have a closing under another name, which took its own money.
                func isTakenElsewhere(_ line: BatchedLine) -> Bool {
                    guard let taking = generations.closing(of: generation, at: line.madeAt) else { return false }
                    return !taking.closing.batch.account.hasSameUTF8(as: closing.batch.account)
                }
                let moved = Set(unvoided.filter { !isInPlace($0) }.map(\.transaction))
                let taken = unvoided.filter { moved.contains($0.transaction) || !isTakenElsewhere($0) }
                for transaction in Set(taken.map(\.transaction)).sorted() {
                    let stream = StreamName.transaction(transaction)
                    if moved.contains(transaction) {
                        try await settle(
                            moneyOf: stream,
                            named: batch,
                            among: generations,
                            isOpen: isPrevious,
                            cause: cause
                        )
                    } else if isOwn {
                        try await recorder.record(closing, closedAt: cause.occurredAt, cause: cause, on: stream)
                    }
                }
                last = lines.count == Self.page ? lines.last : nil
            } while last != nil
        }
    }

    /// Settles money whose batch was closed before the money was reported. What was made after the last closing is in
    /// the next generation of the number.
    func settleLate(_ events: [RecordedEvent]) async throws {
        var known: [Number: BatchGenerations] = [:]
        for event in events where Self.reports.contains(event.type) {
            guard let batch = try TransactionEvent(event).reportedLine?.batch, batch.number != nil else { continue }
            let number = Number(tenant: event.tenant, batch: batch.inGeneration(1))
            if known[number] == nil {
                known[number] = try await batches.generations(of: batch, tenant: event.tenant)
            }
            // While nothing is closed, the number has one generation.
            guard let generations = known[number], !generations.isEmpty else { continue }
            try await settle(moneyOf: event.stream, named: batch, among: generations, cause: event)
        }
    }

    private struct Number: Hashable {
        var tenant: String
        var batch: BatchReference
    }

    /// Puts the money of a payment that is in batches of an account's number into its generations, and settles it
    /// there. Another terminal may have a batch of the same number, with other generations.
    ///
    /// - Parameter isOpen: True for only the lines that wait for a closing.
    private func settle(
        moneyOf stream: String,
        named batch: BatchReference,
        among generations: BatchGenerations,
        isOpen: Bool = false,
        cause: RecordedEvent
    ) async throws {
        let events = try await reader.stream(stream, of: cause.tenant)
        for money in try BatchedMoney.lines(of: events) where money.batch.hasSameNumber(as: batch) {
            let own = money.batch(among: generations)
            if isOpen, !money.awaitsClosing { continue }
            guard own != money.batch || generations[own.generation] != nil else { continue }
            try await recorder.record(money, in: own, among: generations, on: stream, cause: cause)
        }
    }
}
