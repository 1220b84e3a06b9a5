package import Payments

/// The names and codes of the journal's accounts in accounting software.
package struct Chart: Sendable {
    /// The accounts at the top, which Beancount and hledger know by these names.
    package enum Root: String, Sendable, Hashable, CaseIterable {
        case assets = "Assets"
        case liabilities = "Liabilities"
        case equity = "Equity"
        case income = "Income"
        case expenses = "Expenses"
    }

    package struct Place: Sendable, Hashable {
        package var root: Root
        /// The name below the root: a capital letter, then letters, digits and dashes.
        package var name: String
        /// The code in Xero, which has no names.
        package var code: String
    }

    private let place: @Sendable (Account) -> Place

    /// - Parameter place: Different places for different accounts.
    package init(_ place: @escaping @Sendable (Account) -> Place) { self.place = place }

    package subscript(account: Account) -> Place { place(account) }

    /// The chart of every tenant.
    package static let standard = Chart { account in
        let name = account.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return Place(root: Root(account.kind), name: name.joined(separator: "-"), code: code(account))
    }

    private static func code(_ account: Account) -> String {
        switch account {
        case .processorReceivable: "1100"
        case .cashInTransit: "1110"
        case .bank: "1120"
        case .undepositedCash: "1130"
        case .cashBack: "1140"
        case .cashMachine: "1150"
        case .reserve: "1160"
        case .disputeReceivable: "1170"
        case .tipsPayable: "2100"
        case .taxPayable: "2110"
        case .giftLiability: "2120"
        case .currencyClearing: "3100"
        case .suspense: "3110"
        case .sales: "4100"
        case .surcharge: "4110"
        case .refunds: "5100"
        case .fees: "5110"
        case .disputeLoss: "5120"
        case .writeOff: "5130"
        case .rounding: "5140"
        }
    }
}

extension Chart.Root {
    init(_ kind: Account.Kind) {
        switch kind {
        case .asset: self = .assets
        case .liability: self = .liabilities
        case .income: self = .income
        case .expense: self = .expenses
        case .clearing: self = .equity
        }
    }
}
