import Access
import Canonical
import Composition
import HTTPEdge
import Intake
import Operations
import Payments
import Projections
import Reconciliation
import Redaction
import Statements

extension WebConsole {
    func addStatements(to router: inout EdgeRouter<Principal>) {
        addPage(.statements, needs: [.read], to: &router) { try await statements($0) }
        addPage(.statement, needs: [.read], to: &router) { try await statement($0) }
        addForm("/console/statements/{id}/withdraw", needs: .reconcile, to: &router) { try await withdraw($0, $1) }
    }

    private static let filters = FilterForm(
        action: "\(Address.root)/statements",
        fields: [
            FilterField("format", "Format", .choice(StatementFormat.allCases.map { ($0.rawValue, $0.rawValue) })),
            FilterField(
                "side",
                "Reported by",
                .choice(StatementSide.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ),
            FilterField(
                "status",
                "Status",
                .choice(StatementView.Status.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ), FilterField("inconsistent", "With wrong totals", .check),
        ]
    )

    private static func controlFilters(_ path: String) -> FilterForm {
        FilterForm(
            action: path,
            fields: [
                FilterField("holds", "Totals in the file", .choice([("false", "wrong"), ("true", "correct")]))
            ]
        )
    }

    /// The files of gateways, processors and banks, newest first.
    private func statements(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(Lists.statements, .statements, "statements", "Statements", visit, filters: Self.filters) {
            statementTable($0, "Statements, newest first", visit)
        }
    }

    func statementTable(_ statements: [StatementJSON], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "File", "Format", "Reported by", "Status", "Lines#", "Repeated lines#", "Totals#", "Wrong totals#",
                "First day", "Last day", "Imported",
            ],
            rows: statements.map { item in
                [
                    Cell(item.name ?? "no name", href: Address.statement(item.id.text)),
                    .code(item.format.rawValue), .name(item.side), Self.status(ofStatement: item),
                    .count(item.lines), .count(item.repeatedLines), .count(item.controls),
                    .count(item.failedControls), Cell(item.firstDay), Cell(item.lastDay),
                    .time(item.importedAt, in: visit.zone),
                ]
            },
            whenEmpty: "No statements found. If you set filters, change them; else import a file."
        )
    }

    private static func status(ofStatement item: StatementJSON) -> Cell {
        switch item.status {
        case .importing: .badge("Import incomplete", .caution)
        case .imported where item.failedControls == 0: .badge("Imported", .good)
        case .imported: .badge("Wrong totals", .bad)
        case .withdrawn: .badge("Withdrawn", .caution)
        }
    }

    private func statement(_ visit: Visit) async throws -> PageAnswer {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.statement(id.description)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let lineCursor = try Cursor(&reader)
        let controlCursor = try reader.text("controls").map { text throws(Refusal) in try Cursor(text) }
        let holds = try reader.flag("holds")
        try reader.finish()
        guard let item = try await ledger.statement(id, of: visit.tenant) else { throw Problem.notFound }
        let lines = try await ledger.page(
            Lists.statementLines.request(id),
            of: visit.tenant,
            after: lineCursor,
            limit: ConsoleView.statement.pageSize
        )
        let controls = try await ledger.page(
            Lists.controls.request(ControlFilter(statement: id, holds: holds)),
            of: visit.tenant,
            after: controlCursor,
            limit: ConsoleView.controlsLimit
        )
        let failed = item.failedControls
        return .page(
            Page(
                "statement",
                "Statement \(item.name ?? "without a name")",
                [
                    "id": .text(id.description), "status": Self.status(ofStatement: item).value,
                    "report": .text(Self.days(item, ConsoleView.reconciliation)),
                    "queue": .text(Self.days(item, ConsoleView.exceptions)),
                    "unfinished": .given(item.status == .importing),
                    "withdrawn": item.withdrawal.map { withdrawal in
                        .members([
                            "by": .text(withdrawal.by), "reason": .text(withdrawal.reason),
                            "at": Cell.time(withdrawal.at, in: visit.zone).value,
                        ])
                    }, "withdrawing": item.withdrawal == nil ? withdrawing(id, visit) : nil,
                    "failed": failed == 0
                        ? nil
                        : .text(
                            failed == 1
                                ? "One total in this file differs from the sum of its lines."
                                : "\(failed) totals in this file differ from the sum of their lines."
                        ),
                    "facts": facts(item, visit).value, "totals": totals(item).value,
                    "controls": self.controls(try controls.items(as: StatementControlJSON.self)).value,
                    "controlFilters": Self.controlFilters(path).value(query, visit.zone),
                    "lines": self.lines(try lines.items(as: StatementLineJSON.self)).value,
                    "remarks": remarks(item).value,
                    "controlPages": pages(query, path, "controls", "Pages of totals", controlCursor, controls.next),
                    "linePages": pages(query, path, "cursor", "Pages of lines", lineCursor, lines.next),
                ]
            )
        )
    }

    /// The form that withdraws a statement, or the scopes that it needs.
    private func withdrawing(_ id: UUID128, _ visit: Visit) -> PageValue {
        guard visit.may(.reconcile) else {
            return .members(["scopes": .text(Permission.reconcile.scopeNames)])
        }
        return .members([
            "action": .text("\(Address.statement(id.text))/withdraw"), "token": .text(visit.token.formToken),
            "once": .text(ledger.ids.next().text), "longest": "\(Reason.mostBytes)",
        ])
    }

    private func withdraw(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let outcome = try await ledger.reconciliation.statementCommands.withdraw(
            id,
            reason: try fields.reason(),
            idempotencyKey: fields["once"].map { "console:\($0)" },
            sender: sender(visit)
        )
        guard case .withdrawn(let done) = outcome else { return redirect(to: ConsoleView.proposals.rawValue) }
        // The page is made from the read model, which contains the event a moment later.
        _ = try await ledger.readModels.wait(for: "statements", toReach: done.position, timeout: ledger.waitLimit)
        return redirect(to: Address.statement(id.text))
    }

    /// The address of a view, limited to the days of a statement.
    private static func days(_ item: StatementJSON, _ view: ConsoleView) -> String {
        let days = [("from", item.firstDay), ("to", item.lastDay)].compactMap { name, day in day.map { (name, $0) } }
        return Address.path(view.rawValue, days)
    }

    /// The links between the pages of a list; nil if there is only one page.
    private func pages(
        _ query: FormQuery,
        _ path: String,
        _ name: String,
        _ label: String,
        _ cursor: Cursor?,
        _ next: Cursor?
    ) -> PageValue? {
        guard cursor != nil || next != nil else { return nil }
        func address(_ text: String?) -> PageValue {
            var parameters = query.parameters.filter { $0.0 != name }
            if let text { parameters.append((name, text)) }
            return .text(Address.path(path, parameters))
        }
        return .members([
            "pagerLabel": .text(label), "isForward": true, "first": cursor.map { _ in address(nil) },
            "next": next.map { address($0.text) },
        ])
    }

    // MARK: Sections

    private func facts(_ item: StatementJSON, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Format", .code(item.format.rawValue))
        facts.add("Reported by", .name(item.side))
        facts.add("First day", item.firstDay)
        facts.add("Last day", item.lastDay)
        facts.add("Lines", .count(item.lines))
        facts.add("Repeated lines", .count(item.repeatedLines))
        facts.add("Totals in the file", .count(item.controls))
        facts.add("Wrong totals", .count(item.failedControls))
        facts.add("Remarks", .count(item.notes))
        facts.add("Bytes", .count(item.bytes))
        facts.add("SHA-256 of the file", .code(item.digest))
        facts.add("Currency given at the import", item.currency?.alpha)
        facts.add("Date order", item.dateOrder?.rawValue)
        facts.add("SHA-256 of the mapping", .code(item.mapping))
        facts.add("Replaces", .statement(item.replaces))
        facts.add("Imported", .time(item.importedAt, in: visit.zone))
        facts.add("Imported by", .code(item.importedBy))
        facts.add("First event", .event(item.firstPosition))
        facts.add("Last event", .event(item.lastPosition))
        return facts
    }

    private func totals(_ item: StatementJSON) -> Table {
        Table(
            caption: "Totals of the lines, by type and currency; money to the merchant is positive",
            columns: ["Type", "Lines#", "Gross#", "Fees#", "Amount#"],
            rows: item.totals.map { total in
                [.name(total.type), .count(total.lines), .money(total.gross), .money(total.fees), .money(total.amount)]
            },
            whenEmpty: "No lines that count."
        )
    }

    private func controls(_ controls: [StatementControlJSON]) -> Table {
        Table(
            caption: "Totals, counts and balances: stated in the file, and computed from its lines",
            columns: ["Figure", "Of", "Stated#", "Computed#", "Correct", "Line of the file#"],
            rows: controls.map { control in
                func figure(_ value: Int64) -> String { Wording.figure(value, control.currency?.alpha) }
                return [
                    Cell(Wording.sentence(control.name)), Cell(control.scope), .number(figure(control.stated)),
                    .number(control.computed.map(figure)),
                    control.holds ? .badge("yes", .good) : .badge("no", .bad), .count(control.line),
                ]
            },
            whenEmpty: "No totals found. If you set filters, change them."
        )
    }

    private func lines(_ lines: [StatementLineJSON]) -> Table {
        Table(
            caption: "Lines in the order of the file; amounts as the merchant sees them",
            columns: [
                "Number#", "Type", "Gross#", "Fees#", "Net#", "Day", "Reference", "Card", "Invoice", "Remark",
            ],
            rows: lines.map { line in
                let kinds: [ReferenceKind] = [.processor, .rrn, .arn, .bank, .endToEnd, .payout, .other]
                let name = kinds.lazy.compactMap { line.second.reference($0) }.first
                return [
                    .count(line.number), .name(line.type), .money(line.gross), .money(line.fees), .money(line.net),
                    Cell(line.anyDay), .code(name, href: name.flatMap(Address.search)),
                    Cell(line.second.reference(.lastFour)), Cell(line.second.reference(.invoice)), Self.remark(line),
                ]
            },
            whenEmpty: "The statement has no lines."
        )
    }

    private static func remark(_ line: StatementLineJSON) -> Cell {
        var words: [String] = []
        if line.repeated { words.append("repeated") }
        switch line.role {
        case .own: break
        case .part: words.append("part of another line")
        case .total: words.append("total of other lines")
        }
        return words.isEmpty ? Cell("") : .badge(words.joined(separator: ", "), .plain)
    }

    private func remarks(_ item: StatementJSON) -> Table {
        Table(
            caption: "Ambiguous or unknown parts of the file; the first thousand",
            columns: ["Line of the file#", "Remark", "Code"],
            rows: (item.remarks ?? []).map { [.count($0.line), Cell($0.detail), .code($0.code)] },
            whenEmpty: "No remarks."
        )
    }
}
