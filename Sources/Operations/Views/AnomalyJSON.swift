package import Canonical
package import Payments
package import Projections

/// An anomaly in the worklist.
package struct AnomalyJSON: Codable, Sendable, Hashable {
    package struct Acknowledgement: Codable, Sendable, Hashable {
        package var position: Int64
        package var by: String
        package var at: Timestamp
        package var reason: String

        package init(_ acknowledgement: AnomalyView.Acknowledgement) {
            position = acknowledgement.position
            by = acknowledgement.by
            at = acknowledgement.at
            reason = acknowledgement.reason
        }
    }

    package var id: UUID128
    package var position: Int64
    package var state: AnomalyView.State
    package var kind: Anomaly.Kind
    package var explanation: String
    package var related: [String]?
    package var inDoubt: FollowUpInDoubt?
    package var stream: String
    package var transaction: String?
    package var batch: String?
    package var vendor: String?
    package var merchant: String?
    package var terminal: String?
    package var occurredAt: Timestamp
    package var recordedAt: Timestamp
    package var acknowledgement: Acknowledgement?
    package var clearedPosition: Int64?

    package init(_ view: AnomalyView) {
        id = view.id
        position = view.position
        state = view.state
        kind = view.anomaly.kind
        explanation = view.anomaly.explanation
        related = view.anomaly.related
        inDoubt = view.anomaly.inDoubt
        stream = view.stream
        transaction = StreamName.transactionID(view.stream)
        batch = StreamName.batchID(view.stream)
        vendor = view.vendor
        merchant = view.merchant
        terminal = view.terminal
        occurredAt = view.occurredAt
        recordedAt = view.recordedAt
        acknowledgement = view.acknowledgement.map(Acknowledgement.init)
        clearedPosition = view.cleared
    }
}

/// The answer to an acknowledgement.
package struct AcknowledgedJSON: Codable, Sendable, Hashable {
    package var anomaly: UUID128
    package var acknowledgement: AnomalyJSON.Acknowledgement

    package init(_ anomaly: UUID128, _ acknowledgement: AnomalyView.Acknowledgement) {
        self.anomaly = anomaly
        self.acknowledgement = .init(acknowledgement)
    }
}
