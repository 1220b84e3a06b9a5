import Canonical
import EventLog
import Intake
import Payments

/// A line of money of a payment in a batch with a number, as all events of the payment report it: a later report may
/// have no time, or name no batch.
struct BatchedMoney {
    /// The name of the line within its payment.
    let line: String
    /// The batch that the line is in now.
    let batch: BatchReference
    /// False for a line that is voided as a whole.
    let hasMoney: Bool
    /// True while the line waits for its batch to close, also if another use of the number has been closed with it.
    let awaitsClosing: Bool
    /// The position of the first report of the line.
    var position: Int64 { reports.position }

    private let reports: Reports

    private struct Reports {
        let position: Int64
        /// The time of the first report.
        let occurredAt: Timestamp
        /// The first times that reports show.
        var local: LocalTime?
        var instant: Timestamp?
        /// The generation that a report names: its sender knows it.
        var generation: Int?

        init(from event: RecordedEvent) {
            position = event.position
            occurredAt = event.occurredAt
        }

        mutating func add(_ batch: BatchReference?, _ at: ReportedTime?) {
            local = local ?? at?.local
            instant = instant ?? at?.instant
            if let batch, batch.generation > 1 { generation = batch.generation }
        }
    }

    private init?(
        _ line: String,
        in batch: BatchReference?,
        hasMoney: Bool,
        awaitsClosing: Bool,
        _ reports: [String: Reports]
    ) {
        guard let batch, batch.number != nil, let reports = reports[line] else { return nil }
        (self.line, self.batch, self.reports) = (line, batch, reports)
        (self.hasMoney, self.awaitsClosing) = (hasMoney, awaitsClosing)
    }

    /// - Parameter events: All events of a payment.
    /// - Throws: The errors of reading an event.
    static func lines(of events: [RecordedEvent]) throws -> [BatchedMoney] {
        var state = TransactionState()
        var reports: [String: Reports] = [:]
        for event in events {
            let fact = try TransactionEvent(event)
            Lifecycle.evolve(&state, fact, at: event.occurredAt)
            guard let (line, batch, at) = fact.reportedLine else { continue }
            reports[line, default: Reports(from: event)].add(batch, at)
        }
        var lines = state.captures.map {
            BatchedMoney(
                $0.line,
                in: $0.batch,
                hasMoney: $0.isOpen || $0.isSettled,
                awaitsClosing: $0.awaitsClosing || $0.settlement.isOfAnotherUse(than: $0.batch),
                reports
            )
        }
        lines += state.refunds.map {
            BatchedMoney(
                $0.refundLine,
                in: $0.batch,
                hasMoney: $0.isOpen || $0.isSettled,
                awaitsClosing: $0.awaitsClosing || $0.settlement.isOfAnotherUse(than: $0.batch),
                reports
            )
        }
        if let credit = state.credit {
            lines.append(
                BatchedMoney(
                    CaptureEntry.creditLine,
                    in: credit.batch,
                    hasMoney: credit.isOpen || credit.isSettled,
                    awaitsClosing: credit.awaitsClosing || credit.settlement.isOfAnotherUse(than: credit.batch),
                    reports
                )
            )
        }
        return lines.compactMap(\.self)
    }

    /// When the money was made; the time of its first report if none shows it.
    var madeAt: OccurrenceTime {
        OccurrenceTime(local: reports.local, instant: reports.instant ?? reports.occurredAt)
    }

    /// The batch that contains the money: documents name only its number, unless the sender knows the generation.
    func batch(among generations: BatchGenerations) -> BatchReference {
        if let known = reports.generation { return batch.inGeneration(known) }
        let generation = generations.generation(
            at: madeAt,
            isInstantReported: reports.instant != nil,
            recordedAt: position
        )
        return batch.inGeneration(generation)
    }
}
