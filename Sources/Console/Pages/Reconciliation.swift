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

extension WebConsole {
    func addReconciliation(to router: inout EdgeRouter<Principal>) {
        addPage(.reconciliation, needs: [.read], to: &router) { try await reconciliation($0) }
        addPage(.run, needs: [.read], to: &router) { .page(try await run($0)) }
        addPage(.rules, needs: [.read], to: &router) { try await rules($0) }
        addForm(ConsoleView.reconciliation.rawValue, needs: .reconcile, span: .stream, to: &router) {
            try await reconcile($0, $1)
        }
    }

    private static let filters = FilterForm(
        action: ConsoleView.reconciliation.rawValue,
        fields: [
            FilterField("from", "First day", .day), FilterField("to", "Last day", .day),
            FilterField("merchant", "Merchant"), FilterField("as_of", "As of", .time),
        ]
    )

    /// The reconciliation report, and the newest runs.
    private func reconciliation(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = ConsoleView.reconciliation.rawValue
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let scope = try ReportScope(&reader)
        let moment = try Moment(&reader)
        try reader.finish()
        let answer = try await ledger.report(
            of: visit.tenant,
            scope,
            at: moment,
            until: .now.advanced(by: ledger.waitLimit)
        )
        let report = try ReportJSON(answer)
        let past = moment.map { _ in answer.report.position }
        let wanted = Lists.reconciliations.request((), at: past.map(Moment.position))
        let runs = try await ledger.page(wanted, of: visit.tenant, limit: ConsoleView.runsLimit)
        var page = Page(
            "reconciliation",
            "Reconciliation",
            [
                "past": past.map { .text("\($0)") },
                "filters": Self.filters.value(query, visit.zone), "scope": .text(answer.scope.sentence),
                "madeAt": Cell.time(answer.now, in: visit.zone).value,
                "covers": report.covers.map { "\($0)" },
                "balances": balances(report).value, "sides": sides(report).value,
                "account": account(report).value, "exceptions": exceptions(report, query).value,
                "runs": runTable(try runs.items(as: RunJSON.self), "Newest runs, newest first", visit).value,
                "running": past == nil ? running(visit) : nil,
            ]
        )
        page.place = visit.place
        if let past {
            page.place?["as_of"] = nil
            page.place?["as_of_position"] = "\(past)"
        }
        return .page(page)
    }

    // MARK: Sections

    private func balances(_ report: ReportJSON) -> Table {
        Table(
            caption:
                "Payments on both sides, and suspense; money to the merchant is positive, and so are debits",
            columns: [
                "Currency", "Processors#", "Ledger#", "Unexplained difference#", "Not checked#", "Suspense#",
                "Open exceptions in suspense#",
            ],
            rows: report.balances.map { balance in
                var left = Cell.money(balance.difference)
                left.tone = balance.difference?.isZero == true ? .good : .bad
                var unexamined = Cell.count(balance.unexamined)
                unexamined.tone = balance.unexamined == 0 ? .good : .bad
                var suspense = Cell.money(balance.suspense)
                suspense.tone = balance.suspense == balance.openExceptions ? .good : .bad
                return [
                    Cell(balance.currency.alpha), .money(balance.processor), .money(balance.ledger), left, unexamined,
                    suspense, .money(balance.openExceptions),
                ]
            },
            whenEmpty: "Neither side has reported money."
        )
    }

    private func sides(_ report: ReportJSON) -> Table {
        let sides = [("Processors", report.processor), ("Ledger", report.ledger)]
        return Table(
            caption: "The payments of each side, by state",
            columns: ["Side", "Currency", "State", "Payments#", "Amount#"],
            rows: sides.flatMap { name, shares in
                shares.map { share in
                    [
                        Cell(name), Cell(share.currency.alpha), Self.badge(share.state), .count(share.count),
                        .money(share.amount),
                    ]
                }
            },
            whenEmpty: "Neither side has reported money."
        )
    }

    private static func badge(_ state: ReconciliationReport.Share.State) -> Cell {
        switch state {
        case .matched: .badge("matched with the other side", .good)
        case .posted: .badge("posted by a rule", .good)
        case .exception: .badge("open exception", .caution)
        case .resolved: .badge("resolution by an operator", .good)
        case .pending: .badge("pending: the processor has not reported it yet", .plain)
        case .unexamined: .badge("not checked by a run", .bad)
        }
    }

    private func account(_ report: ReportJSON) -> Table {
        Table(
            caption: "Movements on the accounts at the processors, by kind",
            columns: ["Kind", "Currency", "Lines#", "Gross#", "Fees withheld#", "Net#"],
            rows: report.account.map { line in
                [
                    .name(line.kind), Cell(line.currency.alpha), .count(line.count), .money(line.gross),
                    .money(line.fees), .money(line.amount),
                ]
            },
            whenEmpty: "No line of a processor moved money."
        )
    }

    private func exceptions(_ report: ReportJSON, _ query: FormQuery) -> Table {
        Table(
            caption: "Exceptions by class, with open ones by age",
            columns: [
                "Class", "Currency", "Below 2 days#", "Below 8#", "Below 31#", "Older#", "Open#", "Open amount#",
                "No merchant#", "Resolved#", "Resolved amount#",
            ],
            rows: report.exceptions.map { share in
                let name = share.class.rawValue
                var filters = query.parameters + [("class", name)]
                if let currency = share.currency { filters.append(("currency", currency.alpha)) }
                let path = ConsoleView.exceptions.rawValue
                let unattributed =
                    share.unattributed == 0 ? nil : Address.path(path, filters + [("unattributed", "true")])
                let resolved = Address.path(path, filters + [("status", "resolved")])
                var cells = [
                    Cell(Wording.sentence(name), href: Address.path(path, filters)), Cell(share.currency?.alpha),
                ]
                cells += share.ages.map { .count($0) }
                cells += [
                    .count(share.open), .money(share.openAmount), .count(share.unattributed, href: unattributed),
                    .count(share.resolved, href: resolved), .money(share.resolvedAmount),
                ]
                return cells
            },
            whenEmpty: "No exceptions."
        )
    }

    // MARK: Reconciling now

    /// The form that reconciles, or the scopes that it needs.
    private func running(_ visit: Visit) -> PageValue {
        guard visit.may(.reconcile) else {
            return .members(["scopes": .text(Permission.reconcile.scopeNames)])
        }
        return .members([
            "action": .text(ConsoleView.reconciliation.rawValue), "token": .text(visit.token.formToken),
            "once": .text(ledger.ids.next().text),
        ])
    }

    /// Reconciles as the API does, and shows the report. The same form sent twice makes one run.
    private func reconcile(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        let place = redirect(to: ConsoleView.reconciliation.rawValue)
        let sender = sender(visit)
        let asked = fields["once"].map { RunRequest(named: "console:\($0)", whole: false, sender: sender) }
        if let asked, try await ledger.reconciliation.reconciler.isKnown(asked, of: visit.tenant),
            let earlier = try await ledger.reconciliation.query.run(asked.run, of: visit.tenant),
            earlier.completion != nil
        {
            return place
        }
        // The read models take longer for the events of a long run than a page waits.
        let waitLimit = max(ledger.waitLimit, .seconds(60))
        let done = try await ledger.reconciliation.round.run(asked: asked, sender: sender, waitLimit: waitLimit)
        if let position = done.last?.position {
            // The page is made from the read model, which contains the event a moment later.
            _ = try await ledger.readModels.wait(
                for: "reconciliation",
                toReach: position,
                timeout: waitLimit
            )
        }
        return place
    }

    /// The sender of a form.
    func sender(_ visit: Visit) -> Sender {
        Sender(
            tenant: visit.tenant,
            actor: visit.session.principal.actor,
            correlation: visit.request.id,
            holder: visit.session.principal.holder
        )
    }
}
