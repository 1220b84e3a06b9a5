package import EventLog

/// A run of the log: events that follow on one another, and what they say about the payments and batches they are
/// about. Every read model takes from it what it needs.
package struct LogRun: Sendable {
    /// At least one.
    package let events: [RecordedEvent]
    /// About how much data the events have.
    let byteCount: Int
    private let foldedPayments: Result<[PaymentRun], UnappliedEvent>
    private let foldedBatches: Result<[BatchRun], UnappliedEvent>

    init(
        _ events: [RecordedEvent],
        payments: Result<[PaymentRun], UnappliedEvent>,
        batches: Result<[BatchRun], UnappliedEvent>
    ) {
        self.events = events
        byteCount = events.byteCount
        foldedPayments = payments
        foldedBatches = batches
    }

    /// The position before the first event.
    package var start: Int64 { (events.first?.position ?? 1) - 1 }
    /// The position of the last event.
    package var end: Int64 { events.last?.position ?? 0 }

    /// The payments the run is about, in the order of their first events.
    ///
    /// - Throws: `UnappliedEvent` when one of their events cannot be read.
    func payments() throws(UnappliedEvent) -> [PaymentRun] { try foldedPayments.get() }

    /// The batches of which the run holds events of their own, in the order of the first of these.
    ///
    /// - Throws: `UnappliedEvent` when one of their events cannot be read.
    func batches() throws(UnappliedEvent) -> [BatchRun] { try foldedBatches.get() }
}
