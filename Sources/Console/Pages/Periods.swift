import Access
import Canonical
import Composition
import HTTPEdge
import Intake
import Matching
import Operations
import Payments
import Projections
import Reconciliation
import Redaction

extension WebConsole {
    func addPeriods(to router: inout EdgeRouter<Principal>) {
        addPage(.periods, needs: [.read], to: &router) { try await periods($0) }
        addPage(.period, needs: [.read], to: &router) { .page(try await period($0)) }
        addForm(ConsoleView.periods.rawValue, needs: .reconcile, to: &router) { try await close($0, $1) }
        addForm("/console/periods/{id}/reopen", needs: .reconcile, to: &router) { try await reopen($0, $1) }
    }

    private static let filters = FilterForm(
        action: ConsoleView.periods.rawValue,
        fields: [
            FilterField("merchant", "Merchant"),
            FilterField(
                "status",
                "Status",
                .choice(PeriodFilter.Status.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ), FilterField("from", "First day", .day), FilterField("to", "Last day", .day),
        ]
    )

    /// The closed business days, and the form that closes one.
    private func periods(_ visit: Visit) async throws -> PageAnswer {
        let answer = try await listPage(Lists.periods, .periods, "periods", "Closed days", visit, filters: Self.filters)
        {
            periodTable($0, "Closed business days, newest close first", visit)
        }
        guard case .page(var page) = answer else { return answer }
        page.values["closing"] = closing(visit)
        return .page(page)
    }

    func periodTable(_ periods: [PeriodJSON], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: ["Day", "Merchant", "Status", "Net#", "Open at close#", "By", "When", "Reason"],
            rows: periods.map { period in
                [
                    Cell(period.day, href: Address.period(period.id.text)), Cell(period.merchant),
                    Self.badge(period.status),
                    .number(period.totals.map(\.net.description).joined(separator: ", ")),
                    .count(period.carriedCount), .code(period.by), .time(period.at, in: visit.zone),
                    Cell(period.reason),
                ]
            },
            whenEmpty: "No closed days found. If you set filters, change them; else close a day below."
        )
    }

    private static func badge(_ status: PeriodFilter.Status) -> Cell {
        switch status {
        case .closed: .badge("Closed", .good)
        case .reopened: .badge("Reopened", .caution)
        }
    }

    /// A closed day: its totals and open exceptions at the close, and the changes since.
    private func period(_ visit: Visit) async throws -> Page {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let found = try await ledger.reconciliation.query.period(id, of: visit.tenant) else {
            throw Problem.notFound
        }
        let wanted = Lists.periodChanges.request(PeriodChangesFilter(period: id))
        let changes = try await ledger.page(wanted, of: visit.tenant, limit: ConsoleView.changesLimit)
            .read(as: PeriodChangePageJSON.self)
        let period = try PeriodJSON(found)
        var facts = Facts()
        facts.add("Merchant", period.merchant, href: Address.merchant(period.merchant))
        facts.add("Time zone", period.zone)
        facts.add("Business day begins at", period.cutoff)
        facts.add("Covers events up to", .count(period.position))
        facts.add(period.status == .closed ? "Closed" : "Reopened", .time(period.at, in: visit.zone))
        facts.add("By", .code(period.by))
        facts.add("Reason", period.reason)
        facts.add("First closed by event", .event(period.firstPosition))
        facts.add("Newest event", .event(period.lastPosition))
        var page = Page(
            "period",
            "Day \(period.day) of \(period.merchant)",
            [
                "id": .text(id.text), "status": Self.badge(period.status).value, "facts": facts.value,
                "totals": totals(of: period).value, "carried": carried(period).value,
                "changes": self.changes(changes).value, "moreChanges": .given(changes.next != nil),
                "queue": .text(
                    Address.path(
                        ConsoleView.exceptions.rawValue,
                        [("merchant", period.merchant), ("to", period.day)]
                    )
                ),
                "reopening": period.status == .closed ? reopening(id, visit) : nil,
                "closing": period.status == .closed ? nil : closing(visit, period),
            ]
        )
        page.place = visit.place
        page.place?.path["merchant"] = period.merchant
        page.place?.path["day"] = period.day
        return page
    }

    private func totals(of period: PeriodJSON) -> Table {
        Table(
            caption: "Totals when the day was closed",
            columns: [
                "Currency", "Captures#", "Captured#", "Tips included#", "Refunds#", "Refunded#", "Credits#",
                "Credited#", "Voids#", "Voided#", "Net#",
            ],
            rows: period.totals.map { total in
                [
                    Cell(total.currency.alpha), .count(total.capturedCount), .money(total.captured),
                    .money(total.tip), .count(total.refundedCount), .money(total.refunded),
                    .count(total.creditedCount), .money(total.credited), .count(total.voidedCount),
                    .money(total.voided), .money(total.net),
                ]
            },
            whenEmpty: "No money moved on this day."
        )
    }

    private func changes(_ page: PeriodChangePageJSON) -> Table {
        func cells(_ side: PeriodChangeJSON.Side?) -> [Cell] {
            [
                Cell((side?.status ?? side?.rule).map(Wording.sentence)), .money(side?.amount), .money(side?.voided),
            ]
        }
        return Table(
            caption: "Changes since the close at position \(page.fromPosition)",
            columns: [
                "Kind", "Subject", "Change", "Before", "Amount before#", "Voided before#", "Now", "Amount now#",
                "Voided now#",
            ],
            rows: page.items.map { change in
                let subject =
                    if let id = change.exception {
                        Cell((change.class?.rawValue).map(Wording.sentence), href: Address.exception(id.text))
                    } else if let id = change.transaction {
                        Cell.payment(id)
                    } else {
                        Cell.code(change.statementLine?.text)
                    }
                return [.name(change.kind), subject, .name(change.change)] + cells(change.before) + cells(change.after)
            },
            whenEmpty: "Nothing has changed."
        )
    }

    private func carried(_ period: PeriodJSON) -> Table {
        Table(
            caption: "Exceptions of this day and earlier days that were open at the close",
            columns: ["Class", "Currency", "Exceptions#", "Amount#"],
            rows: period.carried.map { one in
                [.name(one.class), Cell(one.currency?.alpha), .count(one.count), .money(one.amount)]
            },
            whenEmpty: "No exceptions were open."
        )
    }

    // MARK: Closing and reopening

    private func form(_ action: String, _ visit: Visit) -> [String: PageValue] {
        guard visit.may(.reconcile) else {
            return ["scopes": .text(Permission.reconcile.scopeNames)]
        }
        return [
            "action": .text(action), "token": .text(visit.token.formToken), "once": .text(ledger.ids.next().text),
            "longest": "\(Reason.mostBytes)",
        ]
    }

    /// - Parameter known: The day to close; nil if the form has a field for it.
    private func closing(_ visit: Visit, _ known: PeriodJSON? = nil) -> PageValue {
        var members = form(ConsoleView.periods.rawValue, visit)
        if let known { members["known"] = .members(["merchant": .text(known.merchant), "day": .text(known.day)]) }
        return .object(members)
    }

    private func reopening(_ id: UUID128, _ visit: Visit) -> PageValue {
        .object(form("\(Address.period(id.text))/reopen", visit))
    }

    private func close(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        let reason = try fields.reason()
        guard let merchant = fields["merchant"], (1...256).contains(merchant.utf8.count),
            merchant.contains(where: { !$0.isWhitespace })
        else {
            throw Problem(
                status: 400,
                code: "malformed-record",
                title: "The name of the merchant is not valid",
                detail: "Go back and enter 1 to 256 bytes."
            )
        }
        let outcome = try await ledger.closePeriod(
            merchant: merchant,
            day: fields["day"] ?? "",
            reason: reason,
            idempotencyKey: fields["once"].map { "console:\($0)" },
            sender: sender(visit),
            waitLimit: ledger.waitLimit
        )
        return try await shown(outcome)
    }

    private func reopen(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")),
            let found = try await ledger.reconciliation.query.period(id, of: visit.tenant)
        else { throw Problem.notFound }
        let outcome = try await ledger.reconciliation.periodCommands.reopen(
            merchant: found.merchant,
            day: found.day,
            reason: try fields.reason(),
            idempotencyKey: fields["once"].map { "console:\($0)" },
            sender: sender(visit)
        )
        return try await shown(outcome)
    }

    /// Waits for the read model, from which the page is made.
    private func shown(_ outcome: PeriodCommands.Outcome) async throws -> EdgeResponse {
        _ = try await ledger.readModels.wait(
            for: "reconciliation",
            toReach: outcome.position,
            timeout: ledger.waitLimit
        )
        return redirect(to: Address.period(outcome.period.text))
    }
}
