package import Payments

/// The names and numbers of the journal's accounts in accounting software.
package struct Chart: Sendable, Hashable {
    /// The accounts at the top, which Beancount and hledger know by these names.
    package enum Root: String, Sendable, Hashable, Codable, CaseIterable {
        case assets = "Assets"
        case liabilities = "Liabilities"
        case equity = "Equity"
        case income = "Income"
        case expenses = "Expenses"
    }

    /// Where an account is in accounting software. Accounts with the same place are one account there.
    package struct Place: Sendable, Hashable {
        package var root: Root
        /// The name below the root, as `AccountNaming` describes it.
        package var name: String
        /// The code in Xero, which has no names in its files.
        package var number: String

        package init(root: Root, name: String, number: String) {
            (self.root, self.name, self.number) = (root, name, number)
        }
    }

    /// The number of the definition, from 1; 0 for the standard chart, which no event records.
    package let version: Int64
    private let places: [Account: Place]

    /// - Parameter accounts: Accounts that are not among them have their standard places.
    package init(version: Int64, _ accounts: [NamedAccount]) {
        self.version = version
        places = Dictionary(accounts.map { ($0.account, $0.place) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(account: Account) -> Place { places[account] ?? Self.standardPlace(of: account) }

    /// The chart of a tenant that defined none.
    package static let standard = Chart(version: 0, [])

    private static func standardPlace(of account: Account) -> Place {
        let name = account.rawValue.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return Place(root: Root(account.kind), name: name.joined(separator: "-"), number: standardNumber(of: account))
    }

    private static func standardNumber(of account: Account) -> String {
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

extension Chart.Place {
    /// The name as a component of an account in Beancount and hledger: a capital letter or digit, then letters, digits
    /// and single dashes.
    var component: String {
        var scalars = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar.isLetterOrDigitOfNames {
                scalars.append(scalar)
            } else if scalars.last != "-" {
                scalars.append("-")
            }
        }
        if scalars.last == "-" { scalars.removeLast() }
        let text = String(scalars)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension Unicode.Scalar {
    /// ASCII letters and digits, and the letters of Latin-1 and Latin Extended-A. A fixed list, because the tables of a
    /// later version of Unicode would give other bytes.
    var isLetterOrDigitOfNames: Bool {
        switch value {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case 0xD7, 0xF7: false
        case 0xC0...0x17F: true
        default: false
        }
    }
}
