package import Canonical
package import Matching
package import Payments
import Projections
package import Reconciliation
package import Tables

/// A reconciliation report and its request.
package struct ReportAnswer: Sendable {
    package var scope: ReportScope
    package var report: ReconciliationReport
    /// The time at which it was made.
    package var now: Timestamp
    /// Whether it is of the past.
    package var isPast: Bool

    package init(scope: ReportScope, report: ReconciliationReport, now: Timestamp, isPast: Bool) {
        self.scope = scope
        self.report = report
        self.now = now
        self.isPast = isPast
    }

    /// The columns of the CSV.
    package static let table = Table(
        name: "reconciliation-report",
        columns: [
            Column("section", "section"), Column("side", "side"), Column("name", "name"),
            Column("currency", "currency"), Column("count", "count"), Column("open", "open"),
            Column("unattributed", "unattributed"), Column("resolved", "resolved"), Column("unexamined", "unexamined"),
        ] + ["amount", "gross", "fees", "processor", "ledger", "difference"].flatMap { Column.money($0, $0) }
            + Column.money("open_amount", "openAmount") + Column.money("resolved_amount", "resolvedAmount")
            + Column.money("suspense", "suspense") + Column.money("open_exceptions", "openExceptions")
    )

    /// The rows of the CSV, section by section.
    private func rows() throws -> [JSONValue] {
        let report = try ReportJSON(self)
        func rows(_ section: String, _ items: [some Encodable], name: String) throws -> [JSONValue] {
            try items.map { item in
                var object = try item.jsonValue().object ?? [:]
                let text = object[name]?.string
                object["section"] = .string(section)
                object.set("name", text)
                return .object(object)
            }
        }
        let head: JSONValue = [
            "section": "report", "name": "as-of-position", "count": .number(.init(report.asOfPosition)),
        ]
        return try [head] + rows("balance", report.balances, name: "name")
            + rows("processor", report.processor, name: "state") + rows("ledger", report.ledger, name: "state")
            + rows("account", report.account, name: "kind") + rows("exception", report.exceptions, name: "class")
            + rows("deposit", report.deposits, name: "state")
    }

    /// The report as CSV, one row per figure.
    ///
    /// - Throws: The errors of `ReportJSON.init`.
    package func csv(_ dialect: CSVDialect, columns table: Table = ReportAnswer.table) throws -> [UInt8] {
        var bytes = dialect.beginning + dialect.line(table.head)
        for row in try rows() { dialect.append(table.row(of: row), to: &bytes) }
        return bytes
    }
}

/// The explanation of every cent of a scope.
package struct ReportJSON: Codable, Sendable, Hashable {
    package struct Balance: Codable, Sendable, Hashable {
        package var currency: Currency
        package var processor: Money?
        package var ledger: Money?
        package var difference: Money?
        package var unexamined: Int64
        package var suspense: Money?
        package var openExceptions: Money?
        package var isExplained: Bool
    }

    package struct Share: Codable, Sendable, Hashable {
        package var currency: Currency
        package var state: ReconciliationReport.Share.State
        package var count: Int64
        package var amount: Money?
    }

    package struct AccountLine: Codable, Sendable, Hashable {
        package var currency: Currency
        package var kind: ReconciliationReport.AccountLine.Kind
        package var count: Int64
        package var gross: Money?
        package var fees: Money?
        package var amount: Money?
    }

    package struct ExceptionShare: Codable, Sendable, Hashable {
        package var `class`: ExceptionClass
        package var currency: Currency?
        package var ages: [Int64]
        package var open: Int64
        package var openAmount: Money?
        package var unattributed: Int64
        package var resolved: Int64
        package var resolvedAmount: Money?
    }

    package var from: String?
    package var to: String?
    package var merchant: String?
    package var zone: String
    package var cutoff: String
    package var madeAt: Timestamp
    package var asOfPosition: Int64
    /// The moment of a report of the past.
    package var asOf: Timestamp?
    package var covers: Int64?
    package var balances: [Balance]
    package var processor: [Share]
    package var ledger: [Share]
    package var account: [AccountLine]
    package var exceptions: [ExceptionShare]
    package var deposits: [DepositCoverageJSON]

    package init(_ answer: ReportAnswer) throws {
        let report = answer.report
        from = answer.scope.from?.description
        to = answer.scope.to?.description
        merchant = answer.scope.merchant
        zone = report.days.zone.name
        cutoff = report.days.cutoff
        madeAt = answer.now
        asOfPosition = report.position
        asOf = answer.isPast ? report.now : nil
        covers = report.covers
        balances = try report.balances.map(Balance.init)
        processor = try report.processor.map(Share.init)
        ledger = try report.ledger.map(Share.init)
        account = try report.account.map(AccountLine.init)
        exceptions = try report.exceptions.map(ExceptionShare.init)
        deposits = try report.deposits.map(DepositCoverageJSON.init)
    }
}

extension ReportJSON.Balance {
    fileprivate init(_ balance: ReconciliationReport.Balance) throws {
        currency = try Currency(stored: balance.currency)
        processor = try .stored(balance.processor, balance.currency)
        ledger = try .stored(balance.ledger, balance.currency)
        difference = try .stored(balance.difference, balance.currency)
        unexamined = balance.unexamined
        suspense = try .stored(balance.suspense, balance.currency)
        openExceptions = try .stored(balance.openExceptions, balance.currency)
        isExplained = balance.isExplained
    }
}

extension ReportJSON.Share {
    fileprivate init(_ share: ReconciliationReport.Share) throws {
        currency = try Currency(stored: share.currency)
        state = share.state
        count = share.count
        amount = try .stored(share.amount, share.currency)
    }
}

extension ReportJSON.AccountLine {
    fileprivate init(_ line: ReconciliationReport.AccountLine) throws {
        currency = try Currency(stored: line.currency)
        kind = line.kind
        count = line.count
        gross = try .stored(line.gross, line.currency)
        fees = try .stored(line.fees, line.currency)
        amount = try .stored(line.amount, line.currency)
    }
}

extension ReportJSON.ExceptionShare {
    fileprivate init(_ share: ReconciliationReport.ExceptionShare) throws {
        `class` = try ExceptionClass(stored: share.exceptionClass)
        currency = try share.currency.map(Currency.init(stored:))
        ages = share.ages
        open = share.open
        openAmount = try .stored(share.openAmount, share.currency)
        unattributed = share.unattributed
        resolved = share.resolved
        resolvedAmount = try .stored(share.resolvedAmount, share.currency)
    }
}
