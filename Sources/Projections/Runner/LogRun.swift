package import EventLog

/// Consecutive events of the log, folded into the payments and batches that they change. Every read model takes the
/// parts that it needs.
package struct LogRun: Sendable {
    /// At least one event.
    package let events: [RecordedEvent]
    /// The approximate size of the events' data.
    let byteCount: Int
    private let foldedPayments: Result<[PaymentRun], UnappliedEvent>
    private let foldedBatches: Result<[BatchRun], UnappliedEvent>
    private let foundLinks: Result<[MerchantLink.Row: Int64], UnappliedEvent>

    init(
        _ events: [RecordedEvent],
        payments: Result<[PaymentRun], UnappliedEvent>,
        batches: Result<[BatchRun], UnappliedEvent>,
        links: Result<[MerchantLink.Row: Int64], UnappliedEvent>
    ) {
        self.events = events
        byteCount = events.byteCount
        foldedPayments = payments
        foldedBatches = batches
        foundLinks = links
    }

    /// The position before the first event.
    package var start: Int64 { (events.first?.position ?? 1) - 1 }
    /// The position of the last event.
    package var end: Int64 { events.last?.position ?? 0 }

    /// The payments with events in the run, in the order of their first events.
    ///
    /// - Throws: `UnappliedEvent` when one of their events cannot be read.
    package func payments() throws(UnappliedEvent) -> [PaymentRun] { try foldedPayments.get() }

    /// The batches with events on their own streams in the run, in the order of their first events.
    ///
    /// - Throws: `UnappliedEvent` when one of their events cannot be read.
    func batches() throws(UnappliedEvent) -> [BatchRun] { try foldedBatches.get() }

    /// The links of names that payments and reports of readers add, with the positions of the events that complete
    /// them. Earlier runs may have added some of them.
    ///
    /// - Throws: `UnappliedEvent` when an event of a payment or reader cannot be read.
    package func merchantLinks() throws(UnappliedEvent) -> [MerchantLink.Row: Int64] { try foundLinks.get() }
}
