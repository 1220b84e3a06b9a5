import Access
import Canonical
import HTTPEdge
import Intake
import Ledger
import Operations
import Payments
import Projections
import Reconciliation
import Statements

extension Console {
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
        try await listPage("statements", .statements, "statements", "Statements", visit, filters: Self.filters) {
            statementTable($0, "Statements, newest first", visit)
        }
    }

    /// - Parameter statements: As the API returns them.
    func statementTable(_ statements: [JSONValue], _ caption: String, _ visit: Visit) -> Table {
        Table(
            caption: caption,
            columns: [
                "File", "Format", "Reported by", "Status", "Lines#", "Repeated lines#", "Totals#", "Wrong totals#",
                "First day", "Last day", "Imported",
            ],
            rows: statements.map { item in
                [
                    Cell(item["name"]?.string ?? "no name", href: Address.statement(item["id"]?.string ?? "")),
                    .code(item["format"]?.string), Cell(item["side"]?.string.map(Wording.sentence)),
                    Self.status(ofStatement: item), .number(item["lines"]?.text),
                    .number(item["repeatedLines"]?.text), .number(item["controls"]?.text),
                    .number(item["failedControls"]?.text), Cell(item["firstDay"]?.string),
                    Cell(item["lastDay"]?.string), .time(item["importedAt"], in: visit.zone),
                ]
            },
            whenEmpty: "No statements found. If you set filters, change them; else import a file."
        )
    }

    private static func status(ofStatement item: JSONValue) -> Cell {
        if item["status"]?.string == StatementView.Status.withdrawn.rawValue { return .badge("Withdrawn", .caution) }
        guard item["status"]?.string == StatementView.Status.imported.rawValue else {
            return .badge("Import incomplete", .caution)
        }
        return (item["failedControls"]?.int64 ?? 0) == 0
            ? .badge("Imported", .good) : .badge("Wrong totals", .bad)
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
            .statementLines(id),
            of: visit.tenant,
            after: lineCursor,
            limit: ConsoleView.statement.pageSize
        )
        let controls = try await ledger.page(
            .controls(id, holds: holds),
            of: visit.tenant,
            after: controlCursor,
            limit: ConsoleView.controlsLimit
        )
        let failed = item["failedControls"]?.int64 ?? 0
        return .page(
            Page(
                "statement",
                "Statement \(item["name"]?.string ?? "without a name")",
                [
                    "id": .text(id.description), "status": Self.status(ofStatement: item).value,
                    "report": .text(Self.days(item, ConsoleView.reconciliation)),
                    "queue": .text(Self.days(item, ConsoleView.exceptions)),
                    "unfinished": .given(item["status"]?.string == StatementView.Status.importing.rawValue),
                    "withdrawn": item["withdrawal"].map { reported in
                        .members([
                            "by": .text(reported["by"]?.string ?? ""),
                            "reason": .text(reported["reason"]?.string ?? ""),
                            "at": Cell.time(reported["at"], in: visit.zone).value,
                        ])
                    }, "withdrawing": item["withdrawal"] == nil ? withdrawing(id, visit) : nil,
                    "failed": failed == 0
                        ? nil
                        : .text(
                            failed == 1
                                ? "One total in this file differs from the sum of its lines."
                                : "\(failed) totals in this file differ from the sum of their lines."
                        ),
                    "facts": facts(item, visit).value, "totals": totals(item).value,
                    "controls": try self.controls(controls.items).value,
                    "controlFilters": Self.controlFilters(path).value(query, visit.zone),
                    "lines": try self.lines(lines.items).value, "remarks": remarks(item).value,
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
        let outcome = try await ledger.statementCommands.withdraw(
            id,
            reason: try fields.reason(),
            idempotencyKey: fields["once"].map { "console:\($0)" },
            sender: sender(visit)
        )
        // The page is made from the read model, which contains the event a moment later.
        _ = try await ledger.readModels.wait(for: "statements", toReach: outcome.position, timeout: ledger.waitLimit)
        return redirect(to: Address.statement(id.text))
    }

    /// The address of a view, limited to the days of a statement.
    private static func days(_ item: JSONValue, _ view: ConsoleView) -> String {
        let days = [("from", "firstDay"), ("to", "lastDay")].compactMap { name, member in
            item[member]?.string.map { (name, $0) }
        }
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

    private func facts(_ item: JSONValue, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Format", .code(item["format"]?.string))
        facts.add("Reported by", item["side"]?.string.map(Wording.sentence))
        facts.add("First day", item["firstDay"]?.string)
        facts.add("Last day", item["lastDay"]?.string)
        let counts = [
            ("lines", "Lines"), ("repeatedLines", "Repeated lines"), ("controls", "Totals in the file"),
            ("failedControls", "Wrong totals"), ("notes", "Remarks"), ("bytes", "Bytes"),
        ]
        for (name, label) in counts { facts.add(label, .number(item[name]?.text)) }
        facts.add("SHA-256 of the file", .code(item["digest"]?.string))
        facts.add("Currency given at the import", item["currency"]?.string)
        facts.add("Date order", item["dateOrder"]?.string)
        facts.add("SHA-256 of the mapping", .code(item["mapping"]?.string))
        facts.add(
            "Replaces",
            .code(item["replaces"]?.string, href: item["replaces"]?.string.map(Address.statement))
        )
        facts.add("Imported", .time(item["importedAt"], in: visit.zone))
        facts.add("Imported by", .code(item["importedBy"]?.string))
        for (name, label) in [("firstPosition", "First event"), ("lastPosition", "Last event")] {
            guard let position = item[name]?.int64 else { continue }
            facts.add(label, .count(position, href: Address.event(position)))
        }
        return facts
    }

    private func totals(_ item: JSONValue) -> Table {
        Table(
            caption: "Totals of the lines, by type and currency; money to the merchant is positive",
            columns: ["Type", "Lines#", "Gross#", "Fees#", "Amount#"],
            rows: (item["totals"]?.array ?? []).map { total in
                [Cell(total["type"]?.string.map(Wording.sentence)), .number(total["lines"]?.text)]
                    + ["gross", "fees", "amount"].map { .money(total[$0]) }
            },
            whenEmpty: "No lines that count."
        )
    }

    private func controls(_ items: [String]) throws -> Table {
        Table(
            caption: "Totals, counts and balances: stated in the file, and computed from its lines",
            columns: ["Figure", "Of", "Stated#", "Computed#", "Correct", "Line of the file#"],
            rows: try items.map { try JSONValue(parsing: $0.utf8) }.map { control in
                [
                    Cell(control["name"]?.string.map(Wording.sentence)), Cell(control["scope"]?.string),
                    .number(Self.figure(control, "stated")), .number(Self.figure(control, "computed")),
                    control["holds"]?.bool == true ? .badge("yes", .good) : .badge("no", .bad),
                    .number(control["line"]?.text),
                ]
            },
            whenEmpty: "No totals found. If you set filters, change them."
        )
    }

    /// A figure of a control: an amount if it has a currency, else a count.
    static func figure(_ control: JSONValue, _ name: String) -> String? {
        guard let value = control[name]?.int64 else { return nil }
        return control["currency"]?.string.map { Wording.money(value, $0) } ?? "\(value)"
    }

    private func lines(_ items: [String]) throws -> Table {
        Table(
            caption: "Lines in the order of the file; amounts as the merchant sees them",
            columns: [
                "Number#", "Type", "Gross#", "Fees#", "Net#", "Day", "Reference", "Card", "Invoice", "Remark",
            ],
            rows: try items.map { try JSONValue(parsing: $0.utf8) }.map { line in
                let references = line["references"]
                let name = ["processor_id", "rrn", "arn", "bank_reference", "end_to_end", "payout", "other_reference"]
                    .lazy.compactMap { references?[$0]?.string }.first
                var cells: [Cell] = [.number(line["number"]?.text), Cell(line["type"]?.string.map(Wording.sentence))]
                cells += ["gross", "fees", "net"].map { .money(line[$0]) }
                cells.append(Cell(line["day"]?.string ?? line["bookedDay"]?.string ?? line["valueDay"]?.string))
                cells.append(.code(name, href: name.flatMap(Address.search)))
                cells.append(Cell(references?["last_four"]?.string))
                cells.append(Cell(references?["invoice"]?.string))
                cells.append(Self.remark(line))
                return cells
            },
            whenEmpty: "The statement has no lines."
        )
    }

    private static func remark(_ line: JSONValue) -> Cell {
        var words: [String] = []
        if line["repeated"]?.bool == true { words.append("repeated") }
        switch line["role"]?.string {
        case "part": words.append("part of another line")
        case "total": words.append("total of other lines")
        default: break
        }
        return words.isEmpty ? Cell("") : .badge(words.joined(separator: ", "), .plain)
    }

    private func remarks(_ item: JSONValue) -> Table {
        Table(
            caption: "Ambiguous or unknown parts of the file; the first thousand",
            columns: ["Line of the file#", "Remark", "Code"],
            rows: (item["remarks"]?.array ?? []).map {
                [.number($0["line"]?.text), Cell($0["detail"]?.string), .code($0["code"]?.string)]
            },
            whenEmpty: "No remarks."
        )
    }
}
