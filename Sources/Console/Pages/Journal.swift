import Access
import Canonical
import Composition
import HTTPEdge
import Journal
import Operations
import Payments

extension WebConsole {
    func addJournal(to router: inout EdgeRouter<Principal>) {
        addPage(.journal, needs: [.read], to: &router) { try await journal($0) }
        addPage(.trialBalance, needs: [.read], to: &router) { try await trialBalance($0) }
    }

    private static let shared =
        [
            FilterField(
                "account",
                "Account",
                .choice(Account.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ), FilterField("part", "Part"), FilterField("merchant", "Merchant"), FilterField("currency", "Currency"),
            FilterField("from_day", "First day", .day), FilterField("to_day", "Last day", .day),
        ] + FilterField.past

    /// The legs of entries, in the order in which they were posted.
    private func journal(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(
            Lists.journal,
            .journal,
            "journal",
            "Journal",
            visit,
            filters: FilterForm(
                action: ConsoleView.journal.rawValue,
                fields: Self.shared + [FilterField("transaction", "Payment")]
            ),
            table: Self.legs
        )
    }

    private static func legs(_ legs: [PostedLegJSON]) -> Table {
        Table(
            caption: "Entries, in the order in which they were posted",
            columns: ["Position#", "Day", "Adjusts", "Account", "Part", "Debit#", "Credit#", "Merchant", "About"],
            rows: legs.map { leg in
                let isDebit = leg.amount.value > 0
                let about = leg.transaction.map { Cell(leg.line, href: Address.transaction($0.text)) }
                return [
                    .number("\(leg.position)", href: Address.event(leg.position)), Cell(leg.day),
                    Cell(leg.adjusts), Cell(Wording.sentence(leg.account.rawValue)), Cell(leg.part),
                    .money(isDebit ? leg.amount : nil),
                    .money(isDebit ? nil : Money(-leg.amount.value, leg.amount.currency)), Cell(leg.merchant),
                    about ?? Cell(leg.statementLine?.text),
                ]
            },
            whenEmpty: "Nothing was posted. If you set filters, change them."
        )
    }

    /// The balances of accounts.
    private func trialBalance(_ visit: Visit) async throws -> PageAnswer {
        let key = FormQuery(visit)["by"].flatMap { text in
            ["account,part", "merchant,account", "day,account", "day,adjusts,account"].first { $0 == text }
        }
        return try await listPage(
            Lists.trialBalance,
            .trialBalance,
            "trialBalance",
            "Trial balance",
            visit,
            filters: FilterForm(
                action: ConsoleView.trialBalance.rawValue,
                fields: [
                    FilterField(
                        "by",
                        "By",
                        .choice([
                            ("account,part", "Account and part"), ("merchant,account", "Merchant and account"),
                            ("day,account", "Day and account"),
                            ("day,adjusts,account", "Day, adjusted day and account"),
                        ]),
                        unset: "Account"
                    )
                ] + Self.shared
            ),
            table: { Self.balances($0, by: key ?? "account") }
        )
    }

    private static func balances(_ rows: [AccountBalanceJSON], by keys: String) -> Table {
        let keys = keys.split(separator: ",").compactMap { BalanceKey(rawValue: String($0)) }
        return Table(
            caption: "Balances of accounts",
            columns: keys.flatMap { $0 == .account ? ["Account", "Number", "Name"] : [Wording.sentence($0.rawValue)] }
                + ["Currency", "Debit#", "Credit#"],
            rows: rows.map { row in
                keys.flatMap { Self.cells($0, of: row) }
                    + [Cell(row.currency.alpha), .money(row.debit), .money(row.credit)]
            },
            whenEmpty: "No account has a balance. If you set filters, change them."
        )
    }

    /// The value of a key; an account's with its number and name in accounting software.
    private static func cells(_ key: BalanceKey, of row: AccountBalanceJSON) -> [Cell] {
        switch key {
        case .account:
            [
                Cell(
                    row.account.map { Wording.sentence($0.rawValue) },
                    href: row.account.map { Address.accountStatement($0.rawValue) }
                ), .code(row.number), Cell(row.name),
            ]
        case .part: [Cell(row.part)]
        case .merchant: [Cell(row.merchant)]
        case .day: [Cell(row.day)]
        case .adjusts: [Cell(row.adjusts)]
        }
    }
}
