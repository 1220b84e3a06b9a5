/// A supported file format.
package enum StatementFormat: String, Codable, Sendable, Hashable, CaseIterable {
    /// Adyen's settlement detail report, CSV.
    case adyenSettlement = "adyen-settlement"
    /// American Express reconciliation, fixed width.
    case amexEPRAW = "amex-epraw"
    /// American Express global reconciliation, delimited.
    case amexGRRCN = "amex-grrcn"
    /// Cash management reports of North American banks, version 2.
    case bai2
    /// ISO 20022 bank to customer statement, XML.
    case camt053
    /// ISO 20022 bank to customer debit and credit notification, XML.
    case camt054
    /// iPOSgo: transactions of a terminal's batch and the answer to its settlement, JSON.
    case iposgoSettlement = "iposgo-settlement"
    /// SPIn: totals of a terminal's batch by application, JSON.
    case spinBatch = "spin-batch"
    /// BridgePay: rows of the transaction report, CSV or JSON.
    case bridgepayTransactions = "bridgepay-transactions"
    /// Stripe's itemized payout reconciliation report, CSV.
    case stripePayout = "stripe-payout"
    /// Square's payout entries, JSON.
    case squarePayout = "square-payout"
    /// PayPal's activity download, CSV.
    case paypalActivity = "paypal-activity"
    /// Rapyd (Valitor) clearing, fixed width.
    case valitorClearing = "valitor-clearing"
    /// Daybook's own CSV, and with a mapping any other one.
    case daybookCSV = "daybook-csv"

    /// The formats in which a balance is carried over by two transfers, one that ends a period with zero and one of the
    /// opposite amount in a later period. American Express only reports the later one, after a payment below zero.
    package static let carryingBalances: [StatementFormat] = [.adyenSettlement, .daybookCSV]

    /// The source of the lines; for a CSV read with a mapping, the mapping states it.
    package func side(read options: StatementOptions) -> StatementSide {
        switch self {
        case .bai2, .camt053, .camt054: .bank
        case .daybookCSV: options.mapping?.side ?? .processor
        default: .processor
        }
    }
}

/// The keeper of the account of a statement.
package enum StatementSide: String, Codable, Sendable, Hashable, CaseIterable {
    /// A gateway, host, acquirer or scheme; the account is what it owes to the merchant.
    case processor
    /// The merchant's bank; the account is the bank account.
    case bank
}
