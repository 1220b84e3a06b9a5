import Canonical
import Payments

/// A part of a line of money: a tax, or a portion from a health-care account. It is inside the line's amount.
struct Portion: Equatable {
    /// As `BatchMember.line`.
    var line: String
    var kind: TotalsPortion.Kind
    /// Empty for the part of a tax without a label.
    var label: String
    /// Minor units of the payment's currency.
    var amount: Int64

    /// The taxes of every capture that counts, and the health-care portions of the payment, which belong to the first
    /// capture that they fit into, or to the only such tender.
    static func portions(of state: TransactionState) -> [Portion] {
        let captures = state.countedCaptures
        guard let currency = state.currency, !captures.isEmpty else { return [] }
        var found: [Portion] = []
        for capture in captures {
            for tax in capture.taxes {
                let one = Portion(
                    line: "capture:\(capture.id)".storableKey,
                    kind: .tax,
                    label: (tax.label ?? "").storableKey,
                    amount: tax.amount.value
                )
                if let index = found.firstIndex(where: one.hasSameKey) {
                    found[index].amount += one.amount
                } else {
                    found.append(one)
                }
            }
        }
        guard let healthCare = state.identity.circumstances?.healthCare else { return found }
        let kept = captures.filter { $0.net > 0 }
        let fitting = (kept.isEmpty ? captures : kept).filter { $0.amount >= healthCare.sum(in: currency) }
        guard let capture = fitting.first, fitting.count == 1 || state.tenders.entries.isEmpty else { return found }
        let stated = healthCare.portions.filter { $0.amount.currency == currency && $0.amount.value > 0 }
        let line = "capture:\(capture.id)".storableKey
        return found
            + stated.map { Portion(line: line, kind: .healthCare, label: $0.name, amount: $0.amount.value) }
    }

    func hasSameKey(as other: Portion) -> Bool {
        line.hasSameUTF8(as: other.line) && kind == other.kind && label.hasSameUTF8(as: other.label)
    }

    static func == (left: Portion, right: Portion) -> Bool { left.hasSameKey(as: right) && left.amount == right.amount }
}

extension TransactionState {
    /// True if the payment may have a portion without a further report of one.
    var knowsPortions: Bool {
        identity.circumstances?.healthCare != nil || authorization.taxed != nil
            || captures.contains { !$0.taxes.isEmpty }
    }
}

extension TransactionEvent {
    /// True if the fact reports taxes or health-care portions.
    var reportsPortions: Bool {
        switch self {
        case .saleRequested(let request), .authorizationRequested(let request), .creditRequested(let request),
            .verificationRequested(let request):
            request.amounts?.hasTaxes == true || request.circumstances?.healthCare != nil
        case .authorizationApproved(let approval), .partiallyApproved(let approval), .creditApproved(let approval),
            .accountVerified(let approval):
            approval.amounts.hasTaxes
        case .outcomeResolved(let resolution): resolution.amounts?.hasTaxes == true
        case .captured(let capture): capture.amounts.hasTaxes
        case .tenderApplied(let tender): tender.amounts.hasTaxes
        case .tipAdjusted(let adjustment): adjustment.amounts?.hasTaxes == true
        case .documentReceived, .declined, .cancelled, .failed, .outcomeUnknown, .authorizationIncremented,
            .tenderRefused, .cashDispensed, .captureReversed, .voided, .reversed, .expired, .refunded, .refundVoided,
            .settled, .settlementRejected, .funded, .chargedBack, .chargebackReversed, .followUpRefused, .device,
            .checkout, .value, .gateway, .cardToken, .dispute, .receiptIssued, .keysLinked, .batchAssigned,
            .anomalyRaised, .anomalyCleared:
            false
        }
    }
}
