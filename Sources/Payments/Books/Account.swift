/// An account of the journal. Every cent that payments and processors move is in one of them.
package enum Account: String, Sendable, Hashable, Codable, CaseIterable {
    /// Money that processors owe for payments, and have not paid out.
    case processorReceivable = "processor-receivable"
    /// Payouts that processors have sent, and no bank has reported.
    case cashInTransit = "cash-in-transit"
    case bank
    /// Cash and checks that customers paid with, and that no bank has reported.
    case undepositedCash = "undeposited-cash"
    /// Cash handed out together with a sale. The part of the card's payment that the till paid out.
    case cashBack = "cash-back"
    /// Cash that machines dispensed or took in.
    case cashMachine = "cash-machine"
    /// Money that processors hold back.
    case reserve
    /// Money that processors took for disputed payments, while the dispute is open.
    case disputeReceivable = "dispute-receivable"
    case tipsPayable = "tips-payable"
    case taxPayable = "tax-payable"
    /// What holders of gift and loyalty cards may still spend.
    case giftLiability = "gift-liability"
    case sales
    /// Fees that customers paid on top of their purchase.
    case surcharge
    case refunds
    case fees
    /// Disputes that were lost.
    case disputeLoss = "dispute-loss"
    case writeOff = "write-off"
    /// Differences that matching rules accept.
    case rounding
    /// The two halves of an exchange of currencies. Its balances have no sum in one currency.
    case currencyClearing = "currency-clearing"
    /// Money that is not explained yet. It equals the open exceptions.
    case suspense

    package enum Kind: String, Sendable, Hashable, Codable, CaseIterable {
        case asset, liability, income, expense, clearing
    }

    package var kind: Kind {
        switch self {
        case .processorReceivable, .cashInTransit, .bank, .undepositedCash, .cashBack, .cashMachine, .reserve,
            .disputeReceivable:
            .asset
        case .tipsPayable, .taxPayable, .giftLiability: .liability
        case .sales, .surcharge: .income
        case .refunds, .fees, .disputeLoss, .writeOff, .rounding: .expense
        case .currencyClearing, .suspense: .clearing
        }
    }

    /// What the account's parts are; nil if it has none.
    package var partName: String? {
        switch self {
        case .processorReceivable, .reserve: "processor"
        case .disputeReceivable: "vendor"
        case .undepositedCash, .sales, .refunds, .giftLiability: "tender"
        case .tipsPayable: "recipient"
        case .taxPayable: "authority"
        case .fees: "component"
        case .cashInTransit, .bank, .cashBack, .cashMachine, .surcharge, .disputeLoss, .writeOff, .rounding,
            .currencyClearing, .suspense:
            nil
        }
    }
}
