import Access
import Canonical
import HTTPEdge
import Intake
import Ledger
import Operations
import Payments
import Projections
import Reconciliation

extension Console {
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
        let answer = try await listPage("periods", .periods, "periods", "Closed days", visit, filters: Self.filters) {
            periodTable($0, "Closed business days, newest close first", visit)
        }
        guard case .page(var page) = answer else { return answer }
        page.values["closing"] = closing(visit)
        return .page(page)
    }

    /// - Parameter items: As the API returns them.
    func periodTable(_ items: [JSONValue], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: ["Day", "Merchant", "Status", "Net#", "Open at close#", "By", "When", "Reason"],
            rows: items.map { item in
                let nets = (item["totals"]?.array ?? []).compactMap { Wording.money($0["net"]) }
                return [
                    Cell(item["day"]?.string, href: Address.period(item["id"]?.string ?? "")),
                    Cell(item["merchant"]?.string), Self.status(ofPeriod: item),
                    .number(nets.joined(separator: ", ")),
                    .count((item["carried"]?.array ?? []).reduce(0) { $0 + ($1["count"]?.int64 ?? 0) }),
                    .code(item["by"]?.string), .time(item["at"], in: visit.zone), Cell(item["reason"]?.string),
                ]
            },
            whenEmpty: "No closed days found. If you set filters, change them; else close a day below."
        )
    }

    private static func status(ofPeriod item: JSONValue) -> Cell {
        item["status"]?.string == "closed" ? .badge("Closed", .good) : .badge("Reopened", .caution)
    }

    /// A closed day: its totals and open exceptions at the close, and the changes since.
    private func period(_ visit: Visit) async throws -> Page {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let found = try await ledger.reconciliationQuery.period(id, of: visit.tenant),
            let changes = try await ledger.changes(
                ofPeriod: id,
                of: visit.tenant,
                limit: ConsoleView.changesLimit
            )
        else { throw Problem.notFound }
        let item = try found.json()
        var facts = Facts()
        facts.add("Merchant", item["merchant"]?.string, href: Address.merchant(found.merchant))
        facts.add("Time zone", item["zone"]?.string)
        facts.add("Business day begins at", item["cutoff"]?.string)
        facts.add("Covers events up to", .count(item["position"]?.int64 ?? 0))
        facts.add(found.status == "closed" ? "Closed" : "Reopened", .time(item["at"], in: visit.zone))
        facts.add("By", .code(item["by"]?.string))
        facts.add("Reason", item["reason"]?.string)
        for (member, label) in [("firstPosition", "First closed by event"), ("lastPosition", "Newest event")] {
            guard let position = item[member]?.int64 else { continue }
            facts.add(label, .count(position, href: Address.event(position)))
        }
        var page = Page(
            "period",
            "Day \(found.day) of \(found.merchant)",
            [
                "id": .text(id.text), "status": Self.status(ofPeriod: item).value, "facts": facts.value,
                "totals": totals(ofPeriod: item).value, "carried": carried(item).value,
                "changes": self.changes(changes).value, "moreChanges": .given(changes.next != nil),
                "queue": .text(
                    Address.path(
                        ConsoleView.exceptions.rawValue,
                        [("merchant", found.merchant), ("to", found.day)]
                    )
                ),
                "reopening": found.status == "closed" ? reopening(id, visit) : nil,
                "closing": found.status == "closed" ? nil : closing(visit, found),
            ]
        )
        page.place = visit.place
        page.place?.path["merchant"] = found.merchant
        page.place?.path["day"] = found.day
        return page
    }

    private func totals(ofPeriod item: JSONValue) -> Table {
        Table(
            caption: "Totals when the day was closed",
            columns: [
                "Currency", "Captures#", "Captured#", "Tips included#", "Refunds#", "Refunded#", "Credits#",
                "Credited#",
                "Voids#", "Voided#", "Net#",
            ],
            rows: (item["totals"]?.array ?? []).map { total in
                var cells = [Cell(total["currency"]?.string)]
                cells += [.number(total["capturedCount"]?.text), .money(total["captured"]), .money(total["tip"])]
                for name in ["refunded", "credited", "voided"] {
                    cells += [.number(total["\(name)Count"]?.text), .money(total[name])]
                }
                return cells + [.money(total["net"])]
            },
            whenEmpty: "No money moved on this day."
        )
    }

    private func changes(_ page: PeriodChangesPage) -> Table {
        func side(_ item: JSONValue, _ name: String) -> [Cell] {
            let reported = item[name]
            let state = (reported?["status"] ?? reported?["rule"])?.string.map(Wording.sentence)
            return [Cell(state), .money(reported?["amount"]), .money(reported?["voided"])]
        }
        return Table(
            caption: "Changes since the close at position \(page.comparison.money.from)",
            columns: [
                "Kind", "Subject", "Change", "Before", "Amount before#", "Voided before#", "Now", "Amount now#",
                "Voided now#",
            ],
            rows: page.items.map { item in
                let about =
                    if let id = item["exception"]?.string {
                        Cell(item["class"]?.string.map(Wording.sentence), href: Address.exception(id))
                    } else if let id = item["transaction"]?.string {
                        Cell.code(id, href: Address.transaction(id))
                    } else {
                        Cell.code(item["statementLine"]?.string)
                    }
                return [
                    Cell(item["kind"]?.string.map(Wording.sentence)), about,
                    Cell(item["change"]?.string.map(Wording.sentence)),
                ] + side(item, "before") + side(item, "after")
            },
            whenEmpty: "Nothing has changed."
        )
    }

    private func carried(_ item: JSONValue) -> Table {
        Table(
            caption: "Exceptions of this day and earlier days that were open at the close",
            columns: ["Class", "Currency", "Exceptions#", "Unexplained#"],
            rows: (item["carried"]?.array ?? []).map { one in
                [
                    Cell(one["class"]?.string.map(Wording.sentence)), Cell(one["currency"]?.string),
                    .number(one["count"]?.text), .money(one["amount"]),
                ]
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
    private func closing(_ visit: Visit, _ known: PeriodView? = nil) -> PageValue {
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
            let found = try await ledger.reconciliationQuery.period(id, of: visit.tenant)
        else { throw Problem.notFound }
        let outcome = try await ledger.periodCommands.reopen(
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
