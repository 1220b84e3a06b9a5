import Canonical
import Payments

/// What a timeline shows of the data of an event.
struct EventSummary: Sendable, Hashable {
    /// The side that reported it.
    var evidence: Evidence?
    var amount: Money?
    var response: Response?
    var words: [String] = []

    init(_ event: TransactionEvent) {
        switch event {
        case .documentReceived(let data): words = Self.words(data)
        case .saleRequested(let data), .authorizationRequested(let data), .creditRequested(let data),
            .verificationRequested(let data):
            amount = data.amounts?.total
        case .authorizationApproved(let data), .partiallyApproved(let data), .creditApproved(let data),
            .accountVerified(let data):
            (evidence, amount, response) = (data.evidence, data.amounts.total, data.response)
        case .declined(let data), .cancelled(let data), .failed(let data), .outcomeUnknown(let data):
            (evidence, response) = (data.evidence, data.response)
        case .outcomeResolved(let data):
            (evidence, amount, words) = (data.evidence, data.amounts?.total, [data.outcome.rawValue])
        case .authorizationIncremented(let data): evidence = data.evidence
        case .captured(let data): (evidence, amount, response) = (data.evidence, data.amounts.total, data.response)
        case .tenderApplied(let data): (evidence, amount, response) = (data.evidence, data.amounts.total, data.response)
        case .tenderRefused(let data):
            (evidence, amount, response) = (data.evidence, data.amount, data.response)
            words = [data.outcome.rawValue]
        case .cashDispensed(let data): (evidence, response) = (data.evidence, data.response)
        case .captureReversed(let data), .voided(let data), .reversed(let data), .refunded(let data),
            .refundVoided(let data), .chargedBack(let data), .chargebackReversed(let data):
            (evidence, amount, response) = (data.evidence, data.amount, data.response)
        case .tipAdjusted(let data): (evidence, amount, response) = (data.evidence, data.amounts?.total, data.response)
        case .expired(let data), .settled(let data), .settlementRejected(let data), .funded(let data):
            (evidence, amount, response) = (data.evidence, data.amount, data.response)
        case .followUpRefused(let data):
            (evidence, amount, response) = (data.evidence, data.amount, data.response)
            words = [data.outcome.rawValue]
        case .device(let event): response = event.report.response
        case .checkout(let event): (amount, response) = (event.report.amounts?.total, event.report.response)
        case .value(let event): (amount, response) = (event.report.amount, event.report.response)
        case .gateway(let event): (amount, response) = (event.report.amount, event.report.response)
        case .cardToken, .keysLinked: break
        case .batchAssigned(let data): words = [data.batch.text]
        case .dispute(let event):
            words =
                [event.report.reasonCode, event.report.respondBy, event.report.documents].compactMap(\.self)
                + [event.report.reason]
        case .receiptIssued(let data): words = [data.reason].compactMap(\.self)
        case .anomalyRaised(let data), .anomalyCleared(let data): words = [data.kind.rawValue, data.explanation]
        }
    }

    private static func words(_ document: DocumentReceived) -> [String] {
        let count = document.redactions.count
        let redactions = count == 0 ? nil : "\(count, "redaction")"
        return [Wording.vendor(document.vendor.rawValue), document.kind, redactions].compactMap(\.self)
    }

    /// The summary in one line; nil if there is nothing to show.
    var line: String? {
        let all = [amount?.description, response?.code, response?.message].compactMap(\.self) + words
        return all.isEmpty ? nil : all.joined(separator: ", ")
    }
}
