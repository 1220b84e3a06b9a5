import Canonical
import DaybookTestKit
import EventLog
import Foundation
import Payments
import Testing

@testable import Journal
@testable import Projections

/// Charts that tenants define.
@Suite struct ChartTests {
    private static let revenue = [
        AccountNaming(.sales, name: "Card sales", number: "4000"),
        AccountNaming(.refunds, root: .income, name: "Card sales", number: "4000"),
    ]

    private static func chart(_ namings: [AccountNaming], version: Int64 = 1) throws -> Chart {
        Chart(version: version, try Chart.accounts(named: namings))
    }

    @Test func severalAccountsMayBeOne() throws {
        let chart = try Self.chart(Self.revenue)
        #expect(chart[.sales] == chart[.refunds] && chart[.sales].name == "Card sales")
        #expect(AccountPart(.refunds, "credit").fullName(in: chart) == "Income:Card-sales:Credit")
        #expect(AccountPart(.refunds, "credit").name(in: chart) == "Card sales:Credit")
        #expect(chart[.bank] == Chart.standard[.bank])
    }

    @Test(arguments: [
        ("Card sales", "Card-sales"), ("card & gift (net)", "Card-gift-net"), ("40 Umsatzerlöse", "40-Umsatzerlöse"),
        ("A", "A"), ("Merchant-Fees", "Merchant-Fees"), ("A - B", "A-B"), ("Cash.", "Cash"),
    ])
    func namesAreComponents(_ name: String, _ component: String) throws {
        #expect(try Self.chart([AccountNaming(.fees, name: name)])[.fees].component == component)
    }

    @Test(
        arguments: [
            ([AccountNaming(.sales, name: "")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "a:b")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "a\"b")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "=1+1")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "a  b")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "a ")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "a\nb")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "e\u{301}")], .invalidName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "日本")], .invalidName, "/accounts/0/name"),
            (
                [AccountNaming(.sales, name: String(repeating: "a", count: 101))], .invalidName,
                "/accounts/0/name"
            ), ([AccountNaming(.sales, number: "")], .invalidNumber, "/accounts/0/number"),
            ([AccountNaming(.sales, number: "4000-1")], .invalidNumber, "/accounts/0/number"),
            ([AccountNaming(.sales, number: "12345678901")], .invalidNumber, "/accounts/0/number"),
            ([AccountNaming(.bank), AccountNaming(.bank)], .repeatedEntry, "/accounts/1/account"),
            // The name or number of a standard account.
            ([AccountNaming(.sales, name: "Bank")], .duplicateName, "/accounts/0/name"),
            ([AccountNaming(.sales, name: "tax payable")], .duplicateName, "/accounts/0/name"),
            ([AccountNaming(.sales, number: "1120")], .duplicateNumber, "/accounts/0/number"),
            // One name with two roots or numbers.
            (
                [AccountNaming(.sales, name: "Net", number: "1"), AccountNaming(.refunds, name: "Net", number: "1")],
                .duplicateName, "/accounts/1/name"
            ),
            (
                [AccountNaming(.sales, name: "Net", number: "1"), AccountNaming(.surcharge, name: "net", number: "1")],
                .duplicateName, "/accounts/1/name"
            ),
            (
                [AccountNaming(.sales, name: "Net", number: "1"), AccountNaming(.surcharge, name: "Net", number: "2")],
                .duplicateName, "/accounts/1/name"
            ),
            (
                [AccountNaming(.sales, name: "a", number: "x1"), AccountNaming(.surcharge, name: "b", number: "X1")],
                .duplicateNumber, "/accounts/1/number"
            ),
        ] as [([AccountNaming], ChartProblem.Code, String)]
    )
    func otherChartsAreRefused(_ namings: [AccountNaming], _ code: ChartProblem.Code, _ pointer: String) {
        let problem = #expect(throws: ChartProblem.self) { try Chart.accounts(named: namings) }
        #expect(problem?.code == code && problem?.pointer == pointer, "\(String(describing: problem))")
    }

    @Test func longNamesAreAccepted() throws {
        let name = String(repeating: "a", count: 100)
        #expect(try Self.chart([AccountNaming(.sales, name: name, number: "1234567890")])[.sales].name == name)
    }

    /// The stored event keeps its shape.
    @Test func theEventIsUnchanged() throws {
        let account = NamedAccount(.sales, Chart.Place(root: .income, name: "Card sales", number: "4000"))
        let event = ChartEvent(.defined, ChartDefinition(version: 2, accounts: [account], reason: "as agreed"))
        let stored = """
            {"version":2,"accounts":[{"account":"sales","root":"Income","name":"Card sales","number":"4000"}],\
            "reason":"as agreed"}
            """
        #expect(try event.text() == stored)
        #expect(try ChartEvent(type: "ChartDefined", schema: 1, data: JSONValue(parsing: stored.utf8)) == event)
    }

    @Test func exportsRecordTheirCharts() throws {
        let export = JournalExport(
            id: Samples.id(1),
            format: .xero,
            range: ExportRange(since: 0, after: 10, through: 20),
            contents: ExportFile.Contents(entries: 2, legs: 5, bytes: 640, sha256: "00"),
            chart: 2,
            earlierCharts: [ChartSpan(chart: 0, through: 10)]
        )
        let stored = """
            {"id":"01970000-0000-7000-8000-000000000001","format":"xero","since":0,"after":10,"through":20,"entries":2,\
            "legs":5,"bytes":640,"sha256":"00","chart":2,"earlierCharts":[{"chart":0,"through":10}]}
            """
        #expect(try ExportEvent(.exported, export).text() == stored)
        #expect(export.spans == [ChartSpan(chart: 0, through: 10), ChartSpan(chart: 2, through: 20)])
    }

    /// Beancount and hledger accept names that tenants define.
    @Test(arguments: AccountingProgram.allCases)
    func programsAcceptDefinedNames(_ program: AccountingProgram) async throws {
        let tips = AccountNaming(.tipsPayable, name: "2 Trinkgelder & Erlöse (netto)", number: "T1")
        let chart = try Self.chart(Self.revenue + [tips, AccountNaming(.fees, name: "x")])
        let format = program == .beancount ? ExportFormat.beancount : .hledger
        let text = ExportSamples.file(format, ExportSamples.reviewed, in: chart)
        #expect(text.contains("Liabilities:2-Trinkgelder-Erlöse-netto:Ann"))
        try await withTemporaryDirectory(prefix: "dbk-chart") { directory in
            let file = "\(directory)/journal"
            try Data(text.utf8).write(to: URL(filePath: file))
            guard let checked = try await program.check(file) else { return }
            #expect(checked.succeeded, "\(checked.standardOutput)\(checked.standardError)")
        }
    }

    /// In a series whose chart changes, each name is declared once, and before it is used; a name that several accounts
    /// have, once. The legs are those of the journal.
    @Test(arguments: [ExportFormat.beancount, .hledger])
    func filesOfASeriesDeclareEveryNameOnce(_ format: ExportFormat) async throws {
        try await Following.with { following in
            var history = RandomHistory(SeededGenerator(seed: 51))
            try await history.record(120, in: following.log)
            try await following.catchUp(["journal", "merchants"])
            let journal = JournalQuery(pool: following.log.pool)
            let head = try await following.log.reader.head()
            let second = try Self.chart(Self.revenue, version: 1)
            let third = try Self.chart(Self.revenue + [AccountNaming(.tipsPayable, name: "Tips")], version: 2)
            let (first, middle) = (head / 3, head / 2)
            let files: [(charts: ExportCharts, after: Int64, through: Int64)] = [
                (charts: ExportCharts(), after: 0, through: first),
                (
                    charts: ExportCharts(second, earlier: [(chart: .standard, through: first)]), after: first,
                    through: middle
                ),
                (
                    charts: ExportCharts(
                        third,
                        earlier: [(chart: .standard, through: first), (chart: second, through: middle)]
                    ), after: middle, through: head
                ),
            ]
            let opening = format == .beancount ? "1970-01-01 open " : "account "
            var declared: [String] = []
            var used: Set<String> = []
            var legs = 0
            for file in files {
                var bytes: [UInt8] = []
                let range = ExportRange(since: 0, after: file.after, through: file.through)
                _ = try await ExportFile(journal, of: "acme", as: format, range, named: file.charts).run { bytes += $0 }
                let text = String(decoding: bytes, as: UTF8.self)
                declared += text.split(separator: "\n").filter { $0.hasPrefix(opening) }
                    .map { String($0.dropFirst(opening.count)) }
                let read = try ExportReader(format: format).legs(text)
                used.formUnion(read.map(\.account))
                #expect(Set(declared).isSuperset(of: read.map(\.account)))
                legs += read.count
            }
            #expect(Set(declared).count == declared.count && Set(declared) == used)
            #expect(used.contains("Income:Card-sales") || used.contains { $0.hasPrefix("Income:Card-sales:") })
            #expect(used.contains { $0.hasPrefix("Income:Sales") } && !used.contains { $0 == "Expenses:Card-sales" })
            let posted = try await journal.legs(of: "acme", matching: JournalFilter(), limit: 10_000)
            #expect(legs == posted.count)
        }
    }
}
