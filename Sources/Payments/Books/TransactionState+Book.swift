import Canonical

// The accounts of a payment's money. Nothing here can overflow: a payment's turnover is limited.
extension TransactionState {
    /// Where the payment's money is, in minor units of its currency. The legs add up to zero (I9).
    ///
    /// Nothing moves at a vendor's test system. Authorizations, voided amounts, and what a stronger source denies hold
    /// no money.
    package var book: [Leg] {
        guard !isTest, currency != nil else { return [] }
        var legs: [Leg] = []
        for capture in countedCaptures where capture.net > 0 { legs += book(of: capture) }
        for refund in refunds where !refund.isUndone && refund.amount != 0 {
            legs += returned(refund.amount, line: "refund:\(refund.id)")
        }
        if let credit = countedCredit, credit.net > 0 { legs += returned(credit.net, line: "credit") }
        for chargeback in chargebacks where !chargeback.isUndone && chargeback.amount != 0 {
            let line = "chargeback:\(chargeback.id)"
            legs.append(
                chargeback.isLost
                    ? Leg(.disputeLoss, line: line, chargeback.amount)
                    : Leg(.disputeReceivable, processor, line: line, chargeback.amount)
            )
            legs.append(Leg(.processorReceivable, processor, line: line, -chargeback.amount))
        }
        if settlement.funded != 0 {
            legs.append(Leg(.bank, line: "funded", settlement.funded))
            legs.append(Leg(.processorReceivable, processor, line: "funded", -settlement.funded))
        }
        return legs + loaded + deactivated
    }

    /// A capture's money: from its tender, to tips, taxes, surcharges, cash back and sales. If less is left than these
    /// parts, they are filled in this order.
    private func book(of capture: CaptureEntry) -> [Leg] {
        let line = "capture:\(capture.id)"
        let entry = tenders.entries.first { $0.captureID.hasSameUTF8(as: capture.id) }
        let tender = PaidTender(entry.flatMap { $0.account?.kind } ?? ownTender)
        var left = capture.net
        var legs = [
            Leg(tender.account, tender.account == .processorReceivable ? processor : tender.name, line: line, left)
        ]
        func take(_ account: Account, _ part: String = "", _ amount: Int64) {
            let taken = min(max(0, amount), left)
            guard taken > 0 else { return }
            left -= taken
            if let index = legs.firstIndex(where: { $0.account == account && $0.part.hasSameUTF8(as: part) }) {
                legs[index].amount -= taken
            } else {
                legs.append(Leg(account, part, line: line, -taken))
            }
        }
        take(.tipsPayable, references.tipRecipient ?? references.clerk ?? "", capture.tip)
        for tax in capture.taxes { take(.taxPayable, tax.label ?? "", tax.amount.value) }
        take(.surcharge, "", capture.extras - capture.taxes.reduce(0) { $0 + $1.amount.value })
        take(.cashBack, "", capture.cashBack)
        if entry?.isCash == true || isCashAccess { take(.cashMachine, "", left) }
        take(.sales, tender.name, left)
        return legs
    }

    /// Money that went back to a customer, or that a machine took in.
    private func returned(_ amount: Int64, line: String) -> [Leg] {
        let tender = PaidTender(ownTender)
        let source = tender.account == .processorReceivable ? processor : tender.name
        return [
            isCashAccess ? Leg(.cashMachine, line: line, amount) : Leg(.refunds, tender.name, line: line, amount),
            Leg(tender.account, source, line: line, -amount),
        ]
    }

    /// A card's new value, less what was voided. What the customer paid for it is in a sale: it was no revenue.
    private var loaded: [Leg] {
        let loaded = value(storedValue.loaded)
        return stored(loaded - min(loaded, endedValue), line: "load")
    }

    /// The value of a card that was deactivated: it is no liability any more.
    private var deactivated: [Leg] {
        endedValue == .max ? [] : stored(-value(storedValue.deactivated), line: "deactivation")
    }

    private func stored(_ amount: Int64, line: String) -> [Leg] {
        amount == 0 ? [] : [Leg(.sales, "gift", line: line, amount), Leg(.giftLiability, "gift", line: line, -amount)]
    }

    /// The minor units in the payment's currency; 0 without an amount above zero.
    private func value(_ money: Money?) -> Int64 {
        guard let money, money.currency == currency else { return 0 }
        return max(0, money.value)
    }

    /// What voids and reversals took off a card; all of it without an amount. Those of a payment are about its captures.
    private var endedValue: Int64 {
        guard captures.isEmpty, credit == nil else { return 0 }
        if isVoidedOrReversed { return .max }
        return (closing.voids + closing.reversals).reduce(0) { $0.addingSaturated(value($1.amount)) }
    }

    /// The name of the processor that owes the money: of the vendor whose documents report it.
    private var processor: String { vendor?.rawValue ?? "" }

    private var ownTender: String? { card?.funding ?? identity.tender }

    /// True if the card bought cash, or cash was paid in.
    private var isCashAccess: Bool {
        ["cash-access", "withdrawal", "manualcash"].contains(identity.tender?.lowercased())
    }
}

/// What a customer paid with.
private struct PaidTender {
    /// In lower case; empty if it is not known.
    let name: String
    /// Who has the money.
    let account: Account

    init(_ reported: String?) {
        name = reported?.lowercased() ?? ""
        account =
            switch name {
            case "gift", "loyalty": .giftLiability
            case "cash", "check": .undepositedCash
            default: .processorReceivable
            }
    }
}
