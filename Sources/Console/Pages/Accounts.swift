import Access
import Canonical
import Composition
import DaybookAPI
import HTTPEdge
import Operations
import Payments

extension WebConsole {
    func addAccounts(to router: inout EdgeRouter<Principal>) {
        addPage(.accounts, needs: [.read], to: &router) { try await accounts($0) }
        addPage(.accountStatement, needs: [.read], to: &router) { try await accountStatement($0) }
    }

    /// Every account with its balances.
    private func accounts(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(
            Lists.accounts,
            .accounts,
            "accounts",
            "Accounts",
            visit,
            filters: FilterForm(action: ConsoleView.accounts.rawValue, fields: FilterField.past)
        ) { (accounts: [AccountJSON]) in
            Table(
                caption: "Accounts of the journal",
                columns: ["Account", "Kind", "Number", "Name", "Parts", "Balance#"],
                rows: accounts.map { account in
                    [
                        Cell(
                            Wording.sentence(account.account.rawValue),
                            href: Address.accountStatement(account.account.rawValue)
                        ),
                        Cell(Wording.sentence(account.kind.rawValue)), .code(account.number), Cell(account.name),
                        Cell(Self.parts(account)),
                        .number(account.balances.map(\.description).joined(separator: ", ")),
                    ]
                },
                whenEmpty: "There are no accounts."
            )
        }
    }

    private static func parts(_ account: AccountJSON) -> String {
        let shown = account.parts.prefix(5).joined(separator: ", ")
        return account.partCount > 5 ? "\(shown) and \(account.partCount - 5) more" : shown
    }

    private static let statementFields =
        [
            FilterField("part", "Part"), FilterField("merchant", "Merchant"), FilterField("currency", "Currency"),
            FilterField("from_day", "First day", .day), FilterField("to_day", "Last day", .day),
            FilterField("after_position", "After event", .digits),
        ] + FilterField.past

    /// The entries of an account with the balance after each.
    private func accountStatement(_ visit: Visit) async throws -> PageAnswer {
        guard let account = Account(rawValue: try visit.request.parameter("account")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.accountStatement(account.rawValue)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.accountStatement.pageSize)
        let cursor = try Cursor(&reader)
        let named = [(name: "account", value: account.rawValue)]
        let asked = query.exact.filter { $0.name != "limit" && $0.name != "cursor" }
        let request = try Lists.accountStatement.request(named + asked)
        let found = try await ledger.page(request, of: visit.tenant, after: cursor, limit: limit)
        let head = try found.head(as: AccountStatementHeadJSON.self)
        var chart: BalanceChart?
        if query["after_position"] == nil {
            let filters = asked.filter { $0.name != "as_of" && $0.name != "as_of_position" }
            var days = try Lists.trialBalance.request([(name: "by", value: "day")] + named + filters)
            days.moment = .position(head.asOfPosition)
            let changes = try await ledger.page(days, of: visit.tenant, limit: 1).items(as: AccountBalanceJSON.self)
            chart = BalanceChart(opening: head.opening, days: changes, currency: query["currency"])
        }
        let form = FilterForm(action: path, fields: Self.statementFields)
        return .page(
            Page(
                "accountStatement",
                Wording.sentence(account.rawValue),
                [
                    "heading": .text(Wording.sentence(account.rawValue)), "filters": form.value(query, visit.zone),
                    "facts": Self.facts(of: head).value, "chart": chart?.value,
                    "table": Self.entries(try found.items(as: AccountEntryJSON.self)).value,
                    "isForward": true, "next": found.next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }

    private static func facts(of head: AccountStatementHeadJSON) -> Facts {
        func text(_ balances: [Money]) -> String {
            balances.isEmpty ? "none" : balances.map(\.description).joined(separator: ", ")
        }
        var facts = Facts()
        facts.add("Kind", Wording.sentence(head.kind.rawValue))
        facts.add("Number and name", "\(head.number) \(head.name)")
        facts.add("Through event", .count(head.asOfPosition, href: Address.event(head.asOfPosition)))
        facts.add("Opening balance", .number(text(head.opening)))
        facts.add("Closing balance", .number(text(head.closing)))
        return facts
    }

    private static func entries(_ entries: [AccountEntryJSON]) -> Table {
        Table(
            caption: "Entries, in the order in which they were posted",
            columns: ["Position#", "Day", "Adjusts", "Part", "Amount#", "Balance#", "Merchant", "About"],
            rows: entries.map { entry in
                let about = entry.transaction.map { Cell(entry.line, href: Address.transaction($0.text)) }
                return [
                    .number("\(entry.position)", href: Address.event(entry.position)), Cell(entry.day),
                    Cell(entry.adjusts), Cell(entry.part), .money(entry.amount), .money(entry.balance),
                    Cell(entry.merchant),
                    about ?? Cell(entry.statementLine?.text),
                ]
            },
            whenEmpty: "Nothing was posted. If you set filters, change them."
        )
    }
}
