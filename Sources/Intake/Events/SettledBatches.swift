import EventLog
import Payments

/// The batches that events report as settled, and which of them are recorded. A vendor may report a batch later than
/// its settlement, so an unknown one is flagged and not refused.
struct SettledBatches {
    private var recorded: Set<BatchReference> = []

    /// - Parameter others: Streams with events in the same request. A batch among them counts as recorded.
    /// - Throws: The errors of reading the log.
    init(
        named facts: [TransactionEvent],
        of tenant: String,
        beside others: Set<String>,
        _ reader: EventReader
    ) async throws {
        let named = Set(facts.compactMap(\.settledBatch))
        guard !named.isEmpty else { return }
        let streams = named.map { (batch: $0, name: StreamName.batch($0, of: tenant)) }
        let versions = try await reader.versions(of: streams.map(\.name), tenant: tenant)
        recorded = Set(streams.filter { versions[$0.name] != nil || others.contains($0.name) }.map(\.batch))
    }

    /// The anomalies of settlements in batches that neither a document nor the payment's own lines name.
    ///
    /// - Parameter state: The payment before the facts.
    func unknown(in facts: [TransactionEvent], _ state: TransactionState) -> [Anomaly] {
        var unknown: [BatchReference] = []
        for case let batch? in facts.map(\.settledBatch) where !recorded.contains(batch) && !unknown.contains(batch) {
            if !state.names(batch), !facts.contains(where: { $0.takenIn == batch }) { unknown.append(batch) }
        }
        return unknown.map { Anomaly(.settlementMismatch, "settled in \($0.text), a batch that is not recorded") }
    }
}

extension TransactionEvent {
    /// The numbered batch in which money is reported as settled, or as rejected.
    fileprivate var settledBatch: BatchReference? {
        switch self {
        case .settled(let settlement), .settlementRejected(let settlement), .funded(let settlement):
            settlement.batch.flatMap { $0.number == nil ? nil : $0 }
        default: nil
        }
    }

    /// The batch in which money will be settled.
    fileprivate var takenIn: BatchReference? {
        switch self {
        case .captured(let capture): capture.batch
        case .creditApproved(let approval): approval.batch
        case .refunded(let refund): refund.batch
        default: nil
        }
    }
}

extension TransactionState {
    /// Whether a line of the payment, or its settlement, names the batch.
    fileprivate func names(_ batch: BatchReference) -> Bool {
        captures.contains { $0.batch == batch } || refunds.contains { $0.batch == batch } || credit?.batch == batch
            || settlement.batches.contains { $0.batch == batch }
    }
}
