import Payments

// One pair for every event type. The switches are exhaustive, so every new type needs samples.
extension Samples {
    static let transactions = TransactionEvent.Name.allCases.map(pair)
    static let batches = BatchEvent.Name.allCases.map(pair)
    static let tenants = TenantEvent.Name.allCases.map(pair)
    static let devices: [Pair<DeviceEvent>] = DeviceEvent.Name.allCases.map { name in
        device.map { DeviceEvent(name, $0) }
    }
    static let checkouts: [Pair<CheckoutEvent>] = CheckoutEvent.Name.allCases.map { name in
        checkout.map { CheckoutEvent(name, $0) }
    }
    static let values: [Pair<ValueEvent>] = ValueEvent.Name.allCases.map { name in value.map { ValueEvent(name, $0) } }
    static let gateways: [Pair<GatewayEvent>] = GatewayEvent.Name.allCases.map { name in
        gateway.map { GatewayEvent(name, $0) }
    }
    static let cardTokens: [Pair<CardTokenEvent>] = CardTokenEvent.Name.allCases.map { name in
        cardToken.map { CardTokenEvent(name, $0) }
    }
    static let disputes: [Pair<DisputeEvent>] = DisputeEvent.Name.allCases.map { name in
        dispute.map { DisputeEvent(name, $0) }
    }

    /// The first generation is not written.
    static let assignment = Pair(
        full: BatchAssignment(line: "capture:sale", batch: batch.full.inGeneration(2)),
        minimal: BatchAssignment(line: "credit", batch: batch.minimal)
    )

    private static func pair(_ name: TransactionEvent.Name) -> Pair<TransactionEvent> {
        switch name {
        case .documentReceived: document.map { .documentReceived($0) }
        case .saleRequested: request.map { .saleRequested($0) }
        case .authorizationRequested: request.map { .authorizationRequested($0) }
        case .creditRequested: request.map { .creditRequested($0) }
        case .verificationRequested: request.map { .verificationRequested($0) }
        case .authorizationApproved: approval.map { .authorizationApproved($0) }
        case .partiallyApproved: approval.map { .partiallyApproved($0) }
        case .creditApproved: approval.map { .creditApproved($0) }
        case .accountVerified: approval.map { .accountVerified($0) }
        case .declined: verdict.map { .declined($0) }
        case .cancelled: verdict.map { .cancelled($0) }
        case .failed: verdict.map { .failed($0) }
        case .outcomeUnknown: verdict.map { .outcomeUnknown($0) }
        case .outcomeResolved: resolution.map { .outcomeResolved($0) }
        case .authorizationIncremented: increment.map { .authorizationIncremented($0) }
        case .captured: capture.map { .captured($0) }
        case .tenderApplied: tender.map { .tenderApplied($0) }
        case .tenderRefused: tenderRefusal.map { .tenderRefused($0) }
        case .cashDispensed: dispense.map { .cashDispensed($0) }
        case .captureReversed: part.map { .captureReversed($0) }
        case .tipAdjusted: tip.map { .tipAdjusted($0) }
        case .voided: part.map { .voided($0) }
        case .reversed: part.map { .reversed($0) }
        case .expired: settlement.map { .expired($0) }
        case .refunded: part.map { .refunded($0) }
        case .refundVoided: part.map { .refundVoided($0) }
        case .settled: settlement.map { .settled($0) }
        case .settlementRejected: settlement.map { .settlementRejected($0) }
        case .funded: settlement.map { .funded($0) }
        case .chargedBack: part.map { .chargedBack($0) }
        case .chargebackReversed: part.map { .chargebackReversed($0) }
        case .followUpRefused: followUpRefusal.map { .followUpRefused($0) }
        case .receiptIssued: receipt.map { .receiptIssued($0) }
        case .keysLinked: link.map { .keysLinked($0) }
        case .batchAssigned: assignment.map { .batchAssigned($0) }
        case .anomalyRaised: anomaly.map { .anomalyRaised($0) }
        case .anomalyCleared: anomaly.map { .anomalyCleared($0) }
        }
    }

    private static func pair(_ name: BatchEvent.Name) -> Pair<BatchEvent> {
        switch name {
        case .documentReceived: document.map { .documentReceived($0) }
        case .batchCloseRequested: closing.map { .batchCloseRequested($0) }
        case .batchClosed: closing.map { .batchClosed($0) }
        case .batchCloseFailed: closing.map { .batchCloseFailed($0) }
        case .batchOutOfBalance: imbalance.map { .batchOutOfBalance($0) }
        case .batchLinked: batchLink.map { .batchLinked($0) }
        case .anomalyRaised: anomaly.map { .anomalyRaised($0) }
        }
    }

    private static func pair(_ name: TenantEvent.Name) -> Pair<TenantEvent> {
        switch name {
        case .documentReceived: document.map { .documentReceived($0) }
        case .anomalyRaised: anomaly.map { .anomalyRaised($0) }
        case .intakeRefused: refusal.map { .intakeRefused($0) }
        case .requestRepeated: requestRepeat.map { .requestRepeated($0) }
        case .keyIssued: key.map { .keyIssued($0) }
        case .keyRevoked: key.map { .keyRevoked($0) }
        case .anomalyAcknowledged: acknowledgement.map { .anomalyAcknowledged($0) }
        case .merchantDescribed: description.map { .merchantDescribed($0) }
        }
    }
}
