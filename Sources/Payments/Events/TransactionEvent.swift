package import Canonical

/// What can happen to one payment and its follow-ups: the events of a `transaction/<id>` stream.
package enum TransactionEvent: LedgerEvent {
    /// A vendor document arrived; what follows in the same append was read from it.
    case documentReceived(DocumentReceived)
    case saleRequested(PaymentRequest)
    case authorizationRequested(PaymentRequest)
    /// A standalone refund was asked for.
    case creditRequested(PaymentRequest)
    case verificationRequested(PaymentRequest)
    case authorizationApproved(Approval)
    case partiallyApproved(Approval)
    /// A standalone refund was approved: money goes to the cardholder.
    case creditApproved(Approval)
    /// A zero-amount check succeeded.
    case accountVerified(Approval)
    case declined(Verdict)
    case cancelled(Verdict)
    case failed(Verdict)
    /// Nobody can say yet whether money moved.
    case outcomeUnknown(Verdict)
    case outcomeResolved(Resolution)
    case authorizationIncremented(Increment)
    case captured(Capture)
    /// A capture was taken back; the authorisation stands again.
    case captureReversed(Return)
    case tipAdjusted(TipAdjustment)
    case voided(Return)
    /// The authorisation was released, in full or in part.
    case reversed(Return)
    /// The authorisation ran out unused.
    case expired(Settlement)
    case refunded(Return)
    case refundVoided(Return)
    case settled(Settlement)
    case settlementRejected(Settlement)
    /// The money reached the merchant's bank account.
    case funded(Settlement)
    case chargedBack(Return)
    case chargebackReversed(Return)
    /// A key of this payment leads to another transaction.
    case keysLinked(KeysLinked)
    case anomalyRaised(Anomaly)
    /// Later evidence explained an anomaly.
    case anomalyCleared(Anomaly)

    package var schema: Int { 1 }

    package var type: String {
        switch self {
        case .documentReceived: "DocumentReceived"
        case .saleRequested: "SaleRequested"
        case .authorizationRequested: "AuthorizationRequested"
        case .creditRequested: "CreditRequested"
        case .verificationRequested: "VerificationRequested"
        case .authorizationApproved: "AuthorizationApproved"
        case .partiallyApproved: "PartiallyApproved"
        case .creditApproved: "CreditApproved"
        case .accountVerified: "AccountVerified"
        case .declined: "Declined"
        case .cancelled: "Cancelled"
        case .failed: "Failed"
        case .outcomeUnknown: "OutcomeUnknown"
        case .outcomeResolved: "OutcomeResolved"
        case .authorizationIncremented: "AuthorizationIncremented"
        case .captured: "Captured"
        case .captureReversed: "CaptureReversed"
        case .tipAdjusted: "TipAdjusted"
        case .voided: "Voided"
        case .reversed: "Reversed"
        case .expired: "Expired"
        case .refunded: "Refunded"
        case .refundVoided: "RefundVoided"
        case .settled: "Settled"
        case .settlementRejected: "SettlementRejected"
        case .funded: "Funded"
        case .chargedBack: "ChargedBack"
        case .chargebackReversed: "ChargebackReversed"
        case .keysLinked: "KeysLinked"
        case .anomalyRaised: "AnomalyRaised"
        case .anomalyCleared: "AnomalyCleared"
        }
    }

    package func data() throws -> JSONValue {
        let encoder = JSONValueEncoder()
        return switch self {
        case .documentReceived(let payload): try encoder.encode(payload)
        case .saleRequested(let payload): try encoder.encode(payload)
        case .authorizationRequested(let payload): try encoder.encode(payload)
        case .creditRequested(let payload): try encoder.encode(payload)
        case .verificationRequested(let payload): try encoder.encode(payload)
        case .authorizationApproved(let payload): try encoder.encode(payload)
        case .partiallyApproved(let payload): try encoder.encode(payload)
        case .creditApproved(let payload): try encoder.encode(payload)
        case .accountVerified(let payload): try encoder.encode(payload)
        case .declined(let payload): try encoder.encode(payload)
        case .cancelled(let payload): try encoder.encode(payload)
        case .failed(let payload): try encoder.encode(payload)
        case .outcomeUnknown(let payload): try encoder.encode(payload)
        case .outcomeResolved(let payload): try encoder.encode(payload)
        case .authorizationIncremented(let payload): try encoder.encode(payload)
        case .captured(let payload): try encoder.encode(payload)
        case .captureReversed(let payload): try encoder.encode(payload)
        case .tipAdjusted(let payload): try encoder.encode(payload)
        case .voided(let payload): try encoder.encode(payload)
        case .reversed(let payload): try encoder.encode(payload)
        case .expired(let payload): try encoder.encode(payload)
        case .refunded(let payload): try encoder.encode(payload)
        case .refundVoided(let payload): try encoder.encode(payload)
        case .settled(let payload): try encoder.encode(payload)
        case .settlementRejected(let payload): try encoder.encode(payload)
        case .funded(let payload): try encoder.encode(payload)
        case .chargedBack(let payload): try encoder.encode(payload)
        case .chargebackReversed(let payload): try encoder.encode(payload)
        case .keysLinked(let payload): try encoder.encode(payload)
        case .anomalyRaised(let payload): try encoder.encode(payload)
        case .anomalyCleared(let payload): try encoder.encode(payload)
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1 else { throw UnknownEvent(type: type, schema: schema) }
        func read<Payload: Decodable>(_ payload: Payload.Type) throws -> Payload {
            try JSONValueDecoder().decode(payload, from: data)
        }
        switch type {
        case "DocumentReceived": self = .documentReceived(try read(DocumentReceived.self))
        case "SaleRequested": self = .saleRequested(try read(PaymentRequest.self))
        case "AuthorizationRequested": self = .authorizationRequested(try read(PaymentRequest.self))
        case "CreditRequested": self = .creditRequested(try read(PaymentRequest.self))
        case "VerificationRequested": self = .verificationRequested(try read(PaymentRequest.self))
        case "AuthorizationApproved": self = .authorizationApproved(try read(Approval.self))
        case "PartiallyApproved": self = .partiallyApproved(try read(Approval.self))
        case "CreditApproved": self = .creditApproved(try read(Approval.self))
        case "AccountVerified": self = .accountVerified(try read(Approval.self))
        case "Declined": self = .declined(try read(Verdict.self))
        case "Cancelled": self = .cancelled(try read(Verdict.self))
        case "Failed": self = .failed(try read(Verdict.self))
        case "OutcomeUnknown": self = .outcomeUnknown(try read(Verdict.self))
        case "OutcomeResolved": self = .outcomeResolved(try read(Resolution.self))
        case "AuthorizationIncremented": self = .authorizationIncremented(try read(Increment.self))
        case "Captured": self = .captured(try read(Capture.self))
        case "CaptureReversed": self = .captureReversed(try read(Return.self))
        case "TipAdjusted": self = .tipAdjusted(try read(TipAdjustment.self))
        case "Voided": self = .voided(try read(Return.self))
        case "Reversed": self = .reversed(try read(Return.self))
        case "Expired": self = .expired(try read(Settlement.self))
        case "Refunded": self = .refunded(try read(Return.self))
        case "RefundVoided": self = .refundVoided(try read(Return.self))
        case "Settled": self = .settled(try read(Settlement.self))
        case "SettlementRejected": self = .settlementRejected(try read(Settlement.self))
        case "Funded": self = .funded(try read(Settlement.self))
        case "ChargedBack": self = .chargedBack(try read(Return.self))
        case "ChargebackReversed": self = .chargebackReversed(try read(Return.self))
        case "KeysLinked": self = .keysLinked(try read(KeysLinked.self))
        case "AnomalyRaised": self = .anomalyRaised(try read(Anomaly.self))
        case "AnomalyCleared": self = .anomalyCleared(try read(Anomaly.self))
        default: throw UnknownEvent(type: type, schema: schema)
        }
    }
}
