package import Payments

/// The formats of accounting software that exports are written in.
package enum ExportFormat: String, Sendable, Hashable, Codable, CaseIterable {
    /// Plain text for Beancount 3.
    case beancount
    /// Plain text for hledger.
    case hledger
    /// The CSV of journal entries that QuickBooks Online imports.
    case quickbooks
    /// The CSV of manual journals that Xero imports.
    case xero

    package var mediaType: String {
        switch self {
        case .beancount, .hledger: "text/plain; charset=utf-8"
        case .quickbooks, .xero: "text/csv; charset=utf-8; header=present"
        }
    }

    var fileExtension: String {
        switch self {
        case .beancount: "beancount"
        case .hledger: "journal"
        case .quickbooks, .xero: "csv"
        }
    }

    /// Whether its files declare what they name.
    var declares: Bool {
        switch self {
        case .beancount, .hledger: true
        case .quickbooks, .xero: false
        }
    }

    /// The text of this format.
    package func text(_ chart: Chart = .standard) -> any ExportText {
        switch self {
        case .beancount: BeancountText(chart: chart)
        case .hledger: HledgerText(chart: chart)
        case .quickbooks: QuickBooksText(chart: chart)
        case .xero: XeroText(chart: chart)
        }
    }
}

/// How a file is written in one format. The same entries give the same bytes.
package protocol ExportText: Sendable {
    /// The text before the first entry.
    func beginning(_ range: ExportRange, declaring declared: Declarations) -> String

    func entry(_ entry: ExportEntry) -> String
}

/// The positions of a file.
package struct ExportRange: Sendable, Hashable {
    /// The position after which the series of the file begins: files, each of which begins where the one before it
    /// ends.
    package var since: Int64
    /// The file has the entries after this position.
    package var after: Int64
    /// The file has the entries up to this position.
    package var through: Int64

    package init(since: Int64, after: Int64, through: Int64) {
        self.since = since
        self.after = after
        self.through = through
    }
}

/// What a file is the first of its series to name, in the order of the file.
package struct Declarations: Sendable {
    package var accounts: [AccountPart] = []
    package var currencies: [Currency] = []

    package init() {}
}
