package import Canonical

/// The events of one payment and its follow-ups, in a `transaction/<id>` stream.
package indirect enum TransactionEvent: LedgerEvent {
    /// A vendor document arrived; the events after it in the same append were read from it.
    case documentReceived(DocumentReceived)
    case saleRequested(PaymentRequest)
    case authorizationRequested(PaymentRequest)
    /// A standalone refund was requested.
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
    /// It is unknown whether money moved.
    case outcomeUnknown(Verdict)
    case outcomeResolved(Resolution)
    case authorizationIncremented(Increment)
    case captured(Capture)
    /// One of the tenders of a payment was accepted.
    case tenderApplied(Tender)
    /// An attempt to pay with one tender failed.
    case tenderRefused(TenderRefusal)
    /// A cash machine dispensed cash.
    case cashDispensed(Dispense)
    /// A capture was reversed; the authorization is open again.
    case captureReversed(Return)
    case tipAdjusted(TipAdjustment)
    case voided(Return)
    /// The authorization was released, in full or in part.
    case reversed(Return)
    /// The authorization expired unused.
    case expired(Settlement)
    case refunded(Return)
    case refundVoided(Return)
    case settled(Settlement)
    case settlementRejected(Settlement)
    /// The money reached the merchant's bank account.
    case funded(Settlement)
    case chargedBack(Return)
    case chargebackReversed(Return)
    /// A requested capture, tip, void or refund failed.
    case followUpRefused(FollowUpRefusal)
    /// A reader or the SDK sent a report during the payment.
    case device(DeviceEvent)
    /// An event of the wallet checkout that pays.
    case checkout(CheckoutEvent)
    /// The gateway used the card for something other than a payment.
    case value(ValueEvent)
    /// An event of a Daybook call to a gateway about the payment.
    case gateway(GatewayEvent)
    /// A token for the payment's card was stored.
    case cardToken(CardTokenEvent)
    /// A fact about the dispute of a chargeback.
    case dispute(DisputeEvent)
    /// A receipt was printed or handed out.
    case receiptIssued(ReceiptIssue)
    /// A key of this payment leads to another transaction.
    case keysLinked(KeysLinked)
    /// The ledger found to which use of a batch number a line of money belongs.
    case batchAssigned(BatchAssignment)
    case anomalyRaised(Anomaly)
    /// Later evidence explained an anomaly.
    case anomalyCleared(Anomaly)

    /// The names of the event types that only a payment has, as stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case documentReceived = "DocumentReceived"
        case saleRequested = "SaleRequested"
        case authorizationRequested = "AuthorizationRequested"
        case creditRequested = "CreditRequested"
        case verificationRequested = "VerificationRequested"
        case authorizationApproved = "AuthorizationApproved"
        case partiallyApproved = "PartiallyApproved"
        case creditApproved = "CreditApproved"
        case accountVerified = "AccountVerified"
        case declined = "Declined"
        case cancelled = "Cancelled"
        case failed = "Failed"
        case outcomeUnknown = "OutcomeUnknown"
        case outcomeResolved = "OutcomeResolved"
        case authorizationIncremented = "AuthorizationIncremented"
        case captured = "Captured"
        case tenderApplied = "TenderApplied"
        case tenderRefused = "TenderRefused"
        case cashDispensed = "CashDispensed"
        case captureReversed = "CaptureReversed"
        case tipAdjusted = "TipAdjusted"
        case voided = "Voided"
        case reversed = "Reversed"
        case expired = "Expired"
        case refunded = "Refunded"
        case refundVoided = "RefundVoided"
        case settled = "Settled"
        case settlementRejected = "SettlementRejected"
        case funded = "Funded"
        case chargedBack = "ChargedBack"
        case chargebackReversed = "ChargebackReversed"
        case followUpRefused = "FollowUpRefused"
        case receiptIssued = "ReceiptIssued"
        case keysLinked = "KeysLinked"
        case batchAssigned = "BatchAssigned"
        case anomalyRaised = "AnomalyRaised"
        case anomalyCleared = "AnomalyCleared"
    }

    package var schema: Int { 1 }

    /// The names of all event types of a payment.
    package static let types: [String] =
        reportedTypes + [Name.batchAssigned.rawValue] + GatewayEventName.allCases.map(\.rawValue)
        + CardTokenEventName.allCases.map(\.rawValue) + DisputeEventName.allCases.map(\.rawValue)

    /// The event types that others can report. Calls to gateways are recorded by Daybook only: a sender who could
    /// report a call as answered could cause a second charge. So are disputes: two operators end one. The generation
    /// of a batch follows from what is reported.
    package static let reportedTypes: [String] =
        Name.allCases.filter { $0 != .batchAssigned }.map(\.rawValue) + DeviceEventName.allCases.map(\.rawValue)
        + CheckoutEventName.allCases.map(\.rawValue) + ValueEventName.allCases.map(\.rawValue)

    package var type: String {
        switch self {
        case .device(let event): event.type
        case .checkout(let event): event.type
        case .value(let event): event.type
        case .gateway(let event): event.type
        case .cardToken(let event): event.type
        case .dispute(let event): event.type
        default: name?.rawValue ?? ""
        }
    }

    private var name: Name? {
        switch self {
        case .device, .checkout, .value, .gateway, .cardToken, .dispute: nil
        case .documentReceived: .documentReceived
        case .saleRequested: .saleRequested
        case .authorizationRequested: .authorizationRequested
        case .creditRequested: .creditRequested
        case .verificationRequested: .verificationRequested
        case .authorizationApproved: .authorizationApproved
        case .partiallyApproved: .partiallyApproved
        case .creditApproved: .creditApproved
        case .accountVerified: .accountVerified
        case .declined: .declined
        case .cancelled: .cancelled
        case .failed: .failed
        case .outcomeUnknown: .outcomeUnknown
        case .outcomeResolved: .outcomeResolved
        case .authorizationIncremented: .authorizationIncremented
        case .captured: .captured
        case .tenderApplied: .tenderApplied
        case .tenderRefused: .tenderRefused
        case .cashDispensed: .cashDispensed
        case .captureReversed: .captureReversed
        case .tipAdjusted: .tipAdjusted
        case .voided: .voided
        case .reversed: .reversed
        case .expired: .expired
        case .refunded: .refunded
        case .refundVoided: .refundVoided
        case .settled: .settled
        case .settlementRejected: .settlementRejected
        case .funded: .funded
        case .chargedBack: .chargedBack
        case .chargebackReversed: .chargebackReversed
        case .followUpRefused: .followUpRefused
        case .receiptIssued: .receiptIssued
        case .keysLinked: .keysLinked
        case .batchAssigned: .batchAssigned
        case .anomalyRaised: .anomalyRaised
        case .anomalyCleared: .anomalyCleared
        }
    }

    package var payload: any Encodable {
        switch self {
        case .documentReceived(let payload): payload
        case .saleRequested(let payload): payload
        case .authorizationRequested(let payload): payload
        case .creditRequested(let payload): payload
        case .verificationRequested(let payload): payload
        case .authorizationApproved(let payload): payload
        case .partiallyApproved(let payload): payload
        case .creditApproved(let payload): payload
        case .accountVerified(let payload): payload
        case .declined(let payload): payload
        case .cancelled(let payload): payload
        case .failed(let payload): payload
        case .outcomeUnknown(let payload): payload
        case .outcomeResolved(let payload): payload
        case .authorizationIncremented(let payload): payload
        case .captured(let payload): payload
        case .tenderApplied(let payload): payload
        case .tenderRefused(let payload): payload
        case .cashDispensed(let payload): payload
        case .captureReversed(let payload): payload
        case .tipAdjusted(let payload): payload
        case .voided(let payload): payload
        case .reversed(let payload): payload
        case .expired(let payload): payload
        case .refunded(let payload): payload
        case .refundVoided(let payload): payload
        case .settled(let payload): payload
        case .settlementRejected(let payload): payload
        case .funded(let payload): payload
        case .chargedBack(let payload): payload
        case .chargebackReversed(let payload): payload
        case .followUpRefused(let payload): payload
        case .device(let event): event.payload
        case .checkout(let event): event.payload
        case .value(let event): event.payload
        case .gateway(let event): event.payload
        case .cardToken(let event): event.payload
        case .dispute(let event): event.payload
        case .receiptIssued(let payload): payload
        case .keysLinked(let payload): payload
        case .batchAssigned(let payload): payload
        case .anomalyRaised(let payload): payload
        case .anomalyCleared(let payload): payload
        }
    }

    package init(type: String, schema: Int, data: JSONValue) throws {
        guard schema == 1, let name = Name(rawValue: type) else {
            self = try Self.report(type: type, schema: schema, data: data)
            return
        }
        func read<Payload: Decodable>(_ payload: Payload.Type) throws -> Payload {
            try JSONValueDecoder().decode(payload, from: data)
        }
        switch name {
        case .documentReceived: self = .documentReceived(try read(DocumentReceived.self))
        case .saleRequested: self = .saleRequested(try read(PaymentRequest.self))
        case .authorizationRequested: self = .authorizationRequested(try read(PaymentRequest.self))
        case .creditRequested: self = .creditRequested(try read(PaymentRequest.self))
        case .verificationRequested: self = .verificationRequested(try read(PaymentRequest.self))
        case .authorizationApproved: self = .authorizationApproved(try read(Approval.self))
        case .partiallyApproved: self = .partiallyApproved(try read(Approval.self))
        case .creditApproved: self = .creditApproved(try read(Approval.self))
        case .accountVerified: self = .accountVerified(try read(Approval.self))
        case .declined: self = .declined(try read(Verdict.self))
        case .cancelled: self = .cancelled(try read(Verdict.self))
        case .failed: self = .failed(try read(Verdict.self))
        case .outcomeUnknown: self = .outcomeUnknown(try read(Verdict.self))
        case .outcomeResolved: self = .outcomeResolved(try read(Resolution.self))
        case .authorizationIncremented: self = .authorizationIncremented(try read(Increment.self))
        case .captured: self = .captured(try read(Capture.self))
        case .tenderApplied: self = .tenderApplied(try read(Tender.self))
        case .tenderRefused: self = .tenderRefused(try read(TenderRefusal.self))
        case .cashDispensed: self = .cashDispensed(try read(Dispense.self))
        case .captureReversed: self = .captureReversed(try read(Return.self))
        case .tipAdjusted: self = .tipAdjusted(try read(TipAdjustment.self))
        case .voided: self = .voided(try read(Return.self))
        case .reversed: self = .reversed(try read(Return.self))
        case .expired: self = .expired(try read(Settlement.self))
        case .refunded: self = .refunded(try read(Return.self))
        case .refundVoided: self = .refundVoided(try read(Return.self))
        case .settled: self = .settled(try read(Settlement.self))
        case .settlementRejected: self = .settlementRejected(try read(Settlement.self))
        case .funded: self = .funded(try read(Settlement.self))
        case .chargedBack: self = .chargedBack(try read(Return.self))
        case .chargebackReversed: self = .chargebackReversed(try read(Return.self))
        case .followUpRefused: self = .followUpRefused(try read(FollowUpRefusal.self))
        case .receiptIssued: self = .receiptIssued(try read(ReceiptIssue.self))
        case .keysLinked: self = .keysLinked(try read(KeysLinked.self))
        case .batchAssigned: self = .batchAssigned(try read(BatchAssignment.self))
        case .anomalyRaised: self = .anomalyRaised(try read(Anomaly.self))
        case .anomalyCleared: self = .anomalyCleared(try read(Anomaly.self))
        }
    }

    private static func report(type: String, schema: Int, data: JSONValue) throws -> Self {
        if DeviceEventName(rawValue: type) != nil {
            return .device(try DeviceEvent(type: type, schema: schema, data: data))
        }
        if CheckoutEventName(rawValue: type) != nil {
            return .checkout(try CheckoutEvent(type: type, schema: schema, data: data))
        }
        if GatewayEventName(rawValue: type) != nil {
            return .gateway(try GatewayEvent(type: type, schema: schema, data: data))
        }
        if CardTokenEventName(rawValue: type) != nil {
            return .cardToken(try CardTokenEvent(type: type, schema: schema, data: data))
        }
        if DisputeEventName(rawValue: type) != nil {
            return .dispute(try DisputeEvent(type: type, schema: schema, data: data))
        }
        return .value(try ValueEvent(type: type, schema: schema, data: data))
    }
}
