import Access
import Canonical
import Composition
import HTTPEdge
import Matching
import Operations
import Payments
import Projections

extension WebConsole {
    /// The rules of the reconciliation of the tenant, current or past.
    func rules(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = ConsoleView.rules.rawValue
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let moment = try Moment(&reader)
        try reader.finish()
        let position = try await position(of: moment)
        let item = try await ledger.rules(of: visit.tenant, at: position)
        let rules = item.rules
        let past = moment.flatMap { moment in position.map { (moment: moment, position: $0) } }
        var page = Page(
            "rules",
            "Reconciliation rules",
            [
                "asOf": PastForm(action: path, shown: past).value(query, visit.zone),
                "standard": .given(item.version == 0), "facts": facts(of: item, visit).value,
                "ladder": ladder(rules).value, "deposits": ladder(rules.deposits).value,
                "fees": fees(rules.fees).value, "approvals": approvals(rules.approvals).value,
                "postings": postings(rules.postings).value, "calendars": calendars(rules.calendars).value,
                "contracts": contracts(rules.contracts).value,
            ]
        )
        page.place = visit.place
        if let position {
            page.place?["as_of"] = nil
            page.place?["as_of_position"] = "\(position)"
        }
        return .page(page)
    }

    private func facts(of item: RulesJSON, _ visit: Visit) -> Facts {
        let rules = item.rules
        var facts = Facts()
        facts.add("Version", .count(item.version))
        facts.add("Changed", .time(item.changedAt, in: visit.zone))
        facts.add("Changed by", .code(item.changedBy))
        facts.add("Reason", item.reason)
        facts.add("Event", .event(item.position))
        facts.add("SHA-256 of the rules", .code(item.digest))
        for (label, days) in [
            ("Days of grace before something is missing", rules.graceDays),
            ("Days to wait for an account without reports", rules.silentDays),
            ("Days after which a line is late", rules.lateDays),
            ("Days after which an authorization has expired", rules.expiryDays),
        ] {
            facts.add(label, .count(Int64(days)))
        }
        facts.add("Bank accounts compared as a whole", rules.depositAccounts.joined(separator: ", "))
        let explained = rules.explainedTypes.map(\.rawValue).joined(separator: ", ")
        facts.add("Lines explained by their type", explained.isEmpty ? "none" : explained)
        return facts
    }

    private func ladder(_ rules: MatchingRules) -> Table {
        let remarks = Dictionary(grouping: rules.remarks, by: \.rule)
        return Table(
            caption: "Rules by which lines are matched with payments, in the order in which they are tried",
            columns: [
                "Order", "Rule", "Equal keys", "If several match", "Days apart#", "Tolerance#", "Remark",
            ],
            rows: rules.ladder.enumerated().map { place, rule in
                [
                    Cell("\(place + 1)"), .code(rule.name),
                    Cell(rule.keys.map(\.rawValue).joined(separator: ", ")),
                    Cell(Wording.sentence(rule.choice.rawValue)),
                    .number(rule.days.map { String($0) }), .count(rule.tolerance),
                    Cell(remarks[rule.name]?.map(\.code.detail).joined(separator: " ")),
                ]
            },
            whenEmpty: "No rules."
        )
    }

    private func ladder(_ rules: [DepositRule]) -> Table {
        Table(
            caption:
                "Rules by which payouts are matched with transfers on bank accounts, in the order in which they are tried",
            columns: ["Order", "Rule", "Equal keys", "If several match", "Days apart#"],
            rows: rules.enumerated().map { place, rule in
                [
                    Cell("\(place + 1)"), .code(rule.name),
                    Cell(rule.keys.map(\.rawValue).joined(separator: ", ")),
                    Cell(Wording.sentence(rule.choice.rawValue)),
                    .number(rule.days.map { String($0) }),
                ]
            },
            whenEmpty: "No rules: payouts are not compared with bank accounts."
        )
    }

    private func fees(_ fees: [ExpectedFee]) -> Table {
        Table(
            caption: "Fees that processors are expected to withhold from a sale",
            columns: ["Brand", "Currency", "Hundredths of a percent#", "Fixed#", "Tolerance#"],
            rows: fees.map { fee in
                [
                    Cell(fee.brand ?? "all others"), Cell(fee.currency), .count(fee.basisPoints),
                    .number(Wording.money(fee.fixed, fee.currency)),
                    .number(Wording.money(fee.tolerance, fee.currency)),
                ]
            },
            whenEmpty: "No expected fees: fees are not compared."
        )
    }

    private func postings(_ rules: [PostingRule]) -> Table {
        Table(
            caption: "Rules that post lines that are no payments, in the order in which they are tried",
            columns: ["Order", "Rule", "Type", "Type in the file", "Format", "Account", "Part"],
            rows: rules.enumerated().map { place, rule in
                [
                    Cell("\(place + 1)"), .code(rule.name), Cell(Wording.sentence(rule.type.rawValue)),
                    Cell(rule.rawType ?? "any"), Cell(rule.format ?? "any"), Cell(rule.account.rawValue),
                    Cell(rule.part),
                ]
            },
            whenEmpty: "No rules: such lines are exceptions, unless their type, a contract or a match explains them."
        )
    }

    private func calendars(_ calendars: [ProcessorCalendar]) -> Table {
        Table(
            caption: "When processors send their files and pay out",
            columns: [
                "Processor", "Merchant", "Vendors", "Begins", "Weekdays", "Holidays#", "File expected", "Cut-off",
                "Zone", "Deposit after#", "Payout at the bank after#",
            ],
            rows: calendars.map { calendar in
                [
                    .code(calendar.processor), Cell(calendar.merchant ?? "all"),
                    Cell(calendar.vendors.map(\.displayName).joined(separator: ", ")), Cell(calendar.begins),
                    Cell(calendar.weekdays.map { Wording.sentence($0.rawValue) }.joined(separator: ", ")),
                    .count(Int64(calendar.holidays.count)),
                    Cell("\(calendar.expectedDays, "business day") later at \(calendar.expectedAt)"),
                    Cell(calendar.cutoff ?? "midnight"), Cell(calendar.zone), .count(Int64(calendar.depositDays)),
                    .count(Int64(calendar.payoutDays)),
                ]
            },
            whenEmpty: "No calendars: no file is missed, and deposits have no expected day."
        )
    }

    private func contracts(_ contracts: [FeeContract]) -> Table {
        Table(
            caption: "What processors may charge, with which the statement of fees compares",
            columns: ["Processor", "Merchant", "Brand", "Component", "Currency", "Begins", "Basis points#", "Fixed#"],
            rows: contracts.map { contract in
                [
                    .code(contract.processor), Cell(contract.merchant ?? "all others"),
                    Cell(contract.brand ?? "all others"), Cell(Wording.sentence(contract.component)),
                    Cell(contract.currency), Cell(contract.begins),
                    .number(Wording.basisPoints(hundredths: contract.basisPointHundredths)),
                    .number(Wording.money(contract.fixed, contract.currency)),
                ]
            },
            whenEmpty: "No contracts: the statement of fees compares nothing."
        )
    }

    private func approvals(_ limits: [ApprovalLimit]) -> Table {
        Table(
            caption: "Amounts above which another operator must approve a resolution",
            columns: ["Currency", "Above#"],
            rows: limits.map { [Cell($0.currency), .number(Wording.money($0.above, $0.currency))] },
            whenEmpty: "No limits: another operator must approve every resolution that moves money."
        )
    }
}
