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
        // Settlement records a closed batch as settled on each of its payments. A failed closing without evidence has
        // the rank of settlement.
        let ofBatches: [BatchEvent.Name] = [.batchClosed, .batchCloseFailed, .batchOutOfBalance, .documentReceived]
        return Set(ofPayments.map(\.rawValue) + ofBatches.map(\.rawValue))
    }()

    /// The anomalies that a till finds in its own reports. The ledger acts on `reversal-due`, takes the money of
    /// `implausible-time` out of its day, and finds the others itself.
    private static let anomaliesOfTills: Set<Anomaly.Kind> = [
        .chipAmountMismatch, .amountUnreadable, .amountScaleAssumed, .operationAssumed, .followUpInDoubt, .unknownKind,
        .unknownValue, .limitExceeded, .malformedField, .duplicateSuspected,
    ]

    /// The member of an event, as a path under it, that makes it evidence; nil for an event that a till may report.
    ///
    /// It is the type for one of the types, the evidence if it outranks the reader's, or the kind of an anomaly.
    static func member(of type: String, _ data: JSONValue) -> String? {
        if types.contains(type) { return "type" }
        if let evidence = data["evidence"], evidence.string != Evidence.reader.rawValue { return "type" }
        guard type == TransactionEvent.Name.anomalyRaised.rawValue, let kind = data["kind"]?.string else { return nil }
        return Anomaly.Kind(rawValue: kind).map(anomaliesOfTills.contains) ?? true ? nil : "data/kind"
    }
}
