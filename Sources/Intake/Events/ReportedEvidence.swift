import Canonical
import Payments

/// Which events of others are evidence that a till does not have: they need the scope `evidence`.
enum ReportedEvidence {
    /// The events that are evidence whatever their data.
    static let types: Set<String> = {
        let ofPayments: [TransactionEvent.Name] = [
            // Money that only a gateway or a settlement knows.
            .refunded, .refundVoided, .settled, .settlementRejected, .funded, .chargedBack, .chargebackReversed,
            // The end of what is in doubt or flagged.
            .outcomeResolved, .anomalyCleared,
            // What the ledger derives from documents and from its own work.
            .documentReceived, .keysLinked, .receiptIssued,
        ]
        // Settlement records a closed batch as settled on each of its payments.
        let ofBatches: [BatchEvent.Name] = [.batchClosed, .batchOutOfBalance, .documentReceived]
        return Set(ofPayments.map(\.rawValue) + ofBatches.map(\.rawValue))
    }()

    /// True for one of the types, and for an event whose evidence outranks the reader's.
    static func isEvidence(_ type: String, _ data: JSONValue) -> Bool {
        if types.contains(type) { return true }
        return data["evidence"].map { $0.string != Evidence.reader.rawValue } ?? false
    }
}
