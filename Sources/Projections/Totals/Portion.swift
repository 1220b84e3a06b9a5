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
    /// one.
    static func portions(of state: TransactionState) -> [Portion] {
        let captures = state.countedCaptures
        guard let currency = state.currency, let first = captures.first else { return [] }
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
        for (name, amount) in state.identity.circumstances?.healthCare?.portions ?? [] {
            guard amount.currency == currency, (1...TransactionState.turnoverLimit).contains(amount.value) else {
                continue
            }
            found.append(
                Portion(line: "capture:\(first.id)".storableKey, kind: .healthCare, label: name, amount: amount.value)
            )
        }
        return found
    }

    func hasSameKey(as other: Portion) -> Bool {
        line.hasSameUTF8(as: other.line) && kind == other.kind && label.hasSameUTF8(as: other.label)
    }

    static func == (left: Portion, right: Portion) -> Bool { left.hasSameKey(as: right) && left.amount == right.amount }
}

extension TransactionState {
    /// True if the payment may have a portion without a further report of one.
    var knowsPortions: Bool {
        identity.circumstances?.healthCare != nil || authorization.breakdown?.hasTaxes == true
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
            .checkout, .value, .gateway, .cardToken, .receiptIssued, .keysLinked, .anomalyRaised, .anomalyCleared:
            false
        }
    }
}
