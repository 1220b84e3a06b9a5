import Canonical
import EventLog
import Payments

/// One generation of a batch number, with the events of its stream.
struct PlacedBatch {
    var reference: BatchReference
    var history: [RecordedEvent]
}

extension TransactionRecorder {
    /// How many of the newest generations of a number are compared with a document.
    private static let compared = 16
    /// How many streams of generations are looked for at a time.
    private static let page = 64

    /// The generation of a batch number that a document is about, which names only the number.
    ///
    /// A closing closes the open generation, unless it is another report of a known closing. Any other document belongs
    /// to the generation that its time is in.
    ///
    /// - Throws: The errors of reading the log.
    func place(
        _ facts: [BatchEvent],
        about batch: BatchReference,
        occurredAt: Timestamp,
        tenant: String
    ) async throws -> PlacedBatch {
        guard batch.number != nil, batch.generation == 1 else { return try await unplaced(batch, of: tenant) }
        let newest = max(1, try await newestGeneration(of: batch, tenant: tenant))
        var known: [PlacedBatch] = []
        for generation in max(1, newest - Self.compared + 1)...newest {
            known.append(try await unplaced(batch.inGeneration(generation), of: tenant))
        }
        var closed: [BatchGenerations.Closed] = []
        for batch in known {
            if let one = try await self.closed(batch, of: tenant) { closed.append(one) }
        }
        let generations = BatchGenerations(closed)
        // Only the newest stream may be of a generation that is not closed.
        let open = max(generations.open, generations[newest] == nil ? newest : newest + 1)
        let found = Self.generation(of: facts, occurredAt: occurredAt, among: generations) ?? open
        if let placed = known.first(where: { $0.reference.generation == found }) { return placed }
        return try await unplaced(batch.inGeneration(open), of: tenant)
    }

    /// The batch that a reference names exactly.
    func unplaced(_ batch: BatchReference, of tenant: String) async throws -> PlacedBatch {
        PlacedBatch(
            reference: batch,
            history: try await reader.stream(StreamName.batch(batch, of: tenant), of: tenant)
        )
    }

    /// The newest generation of a number that has a stream; 0 if there is none.
    private func newestGeneration(of batch: BatchReference, tenant: String) async throws -> Int {
        var newest = 0
        while true {
            let page = (newest + 1)...(newest + Self.page)
            let names = page.map { StreamName.batch(batch.inGeneration($0), of: tenant) }
            let versions = try await reader.versions(of: names, tenant: tenant)
            let last = zip(page, names).filter { versions[$0.1] != nil }.map(\.0).max()
            newest = last ?? newest
            if last != page.upperBound { return newest }
        }
    }

    /// The generation if its closing is recorded, or that of the account's batch that it is part of.
    private func closed(_ batch: PlacedBatch, of tenant: String) async throws -> BatchGenerations.Closed? {
        var events = try batch.history.map { (recorded: $0, fact: try BatchEvent($0)) }
        var state = BatchState(folding: events.map(\.fact))
        if let whole = state.partOf {
            events = try await unplaced(whole, of: tenant).history.map { (recorded: $0, fact: try BatchEvent($0)) }
            state = BatchState(folding: events.map(\.fact))
        }
        guard let closing = state.closing,
            let event = events.first(where: { $0.fact == .batchClosed(closing) })?.recorded
        else { return nil }
        return BatchGenerations.Closed(
            generation: batch.reference.generation,
            closing: closing,
            occurredAt: event.occurredAt,
            position: event.position
        )
    }

    /// The generation that the first fact about a closing is about; nil for the open one.
    private static func generation(
        of facts: [BatchEvent],
        occurredAt: Timestamp,
        among generations: BatchGenerations
    ) -> Int? {
        for fact in facts {
            switch fact {
            case .batchClosed(let closing):
                let at = OccurrenceTime(closing.at, event: occurredAt)
                return generations.generation(of: closing, at: at, isClosed: true)
            case .batchCloseRequested(let closing), .batchCloseFailed(let closing):
                let at = OccurrenceTime(closing.at, event: occurredAt)
                return generations.generation(of: closing, at: at, isClosed: false)
            case .documentReceived, .batchOutOfBalance, .batchLinked, .anomalyRaised: continue
            }
        }
        return generations.closed.map(\.generation).max()
    }
}
