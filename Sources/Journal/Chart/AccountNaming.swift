package import Payments

/// What a tenant calls an account. What is nil is standard.
package struct AccountNaming: Sendable, Hashable {
    package var account: Account
    package var root: Chart.Root?
    /// 1 to 100 letters of Latin alphabets, digits, single blanks and `-_.,&()/'+#`. The first is an ASCII letter or
    /// digit, so that no spreadsheet takes the name for a formula; QuickBooks has no `:` and no `"` in names.
    package var name: String?
    /// 1 to 10 ASCII letters or digits, as Xero has its codes.
    package var number: String?

    package init(_ account: Account, root: Chart.Root? = nil, name: String? = nil, number: String? = nil) {
        (self.account, self.root, self.name, self.number) = (account, root, name, number)
    }
}

/// A problem of a chart that a tenant defines, and its place.
package struct ChartProblem: Error, Sendable, Hashable {
    /// Stable codes for programs.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A member is missing, unknown or of the wrong kind.
        case invalid = "invalid-chart"
        case unknownAccount = "unknown-account"
        case unknownRoot = "unknown-root"
        /// Two entries are about the same account.
        case repeatedEntry = "repeated-entry"
        case invalidName = "invalid-account-name"
        case invalidNumber = "invalid-account-number"
        /// Two accounts have a name, but not the same root and number.
        case duplicateName = "duplicate-account-name"
        /// Two accounts have a number, but not the same name.
        case duplicateNumber = "duplicate-account-number"
        case cardData = "card-data"
    }

    package var code: Code
    /// A JSON pointer: `/accounts/3/name`.
    package var pointer: String
    package var detail: String

    package init(_ code: Code, at pointer: String, _ detail: String) {
        (self.code, self.pointer, self.detail) = (code, pointer, detail)
    }
}

extension Chart {
    private static let longestName = 100
    private static let longestNumber = 10

    /// Every account with its place in a chart that a tenant defines.
    ///
    /// Accounts with equal root, name and number are one account in exports. Otherwise both names and numbers differ:
    /// names also where case does not count, and as components of accounts in Beancount and hledger.
    ///
    /// - Throws: `ChartProblem` for the first problem.
    package static func accounts(named namings: [AccountNaming]) throws(ChartProblem) -> [NamedAccount] {
        var places: [Account: Place] = [:]
        for (index, naming) in namings.enumerated() {
            let pointer = "/accounts/\(index)"
            guard places[naming.account] == nil else {
                throw ChartProblem(.repeatedEntry, at: "\(pointer)/account", "An entry before is about this account.")
            }
            var place = standard[naming.account]
            if let root = naming.root { place.root = root }
            if let name = naming.name {
                guard isName(name) else { throw ChartProblem(.invalidName, at: "\(pointer)/name", nameRule) }
                place.name = name
            }
            if let number = naming.number {
                guard isNumber(number) else { throw ChartProblem(.invalidNumber, at: "\(pointer)/number", numberRule) }
                place.number = number
            }
            places[naming.account] = place
        }
        var names: [String: Place] = [:]
        var numbers: [String: Place] = [:]
        // The standard places of the others come first, so that a problem is one of an entry.
        let others = Account.allCases.filter { places[$0] == nil }
        for (account, index) in others.map({ ($0, 0) }) + namings.enumerated().map({ ($1.account, $0) }) {
            let place = places[account] ?? standard[account]
            if let other = names.updateValue(place, forKey: place.component.lowercased()), other != place {
                throw ChartProblem(
                    .duplicateName,
                    at: "/accounts/\(index)/name",
                    "`\(other.name)` is the name of another account. \(oneAccountRule)"
                )
            }
            if let other = numbers.updateValue(place, forKey: place.number.lowercased()), other != place {
                throw ChartProblem(
                    .duplicateNumber,
                    at: "/accounts/\(index)/number",
                    "`\(other.number)` is the number of `\(other.name)`. \(oneAccountRule)"
                )
            }
        }
        return Account.allCases.map { NamedAccount($0, places[$0] ?? standard[$0]) }
    }

    private static let nameRule =
        "A name is 1 to \(longestName) letters of Latin alphabets, digits, single blanks and -_.,&()/'+#, and begins "
        + "with A to Z, a to z or a digit."
    private static let oneAccountRule =
        "Accounts are one in exports if they have the same root, name and number."
    private static let numberRule = "A number is 1 to \(longestNumber) of A to Z, a to z and digits."

    private static func isName(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        guard let first = scalars.first, first.isASCII, first.isLetterOrDigitOfNames, scalars.count <= longestName,
            scalars.last != " ", !text.contains("  ")
        else { return false }
        return scalars.allSatisfy { $0.isLetterOrDigitOfNames || " -_.,&()/'+#".unicodeScalars.contains($0) }
    }

    private static func isNumber(_ text: String) -> Bool {
        (1...longestNumber).contains(text.utf8.count)
            && text.unicodeScalars.allSatisfy { $0.isASCII && $0.isLetterOrDigitOfNames }
    }
}
