import Access
import Canonical
import HTTPEdge
import Ledger
import Operations
import Payments
import Projections
import Replay

extension Console {
    func addDoubts(to router: inout EdgeRouter<Principal>) {
        addPage(.inDoubt, needs: [.read], to: &router) { try await doubts($0) }
        addPage(.doubt, needs: [.read], to: &router) { try await doubt($0) }
        // A gateway may take minutes.
        addForm("/console/in-doubt/{id}/ask", needs: .reconcile, span: .stream, to: &router) { visit, _ in
            try await ask(visit)
        }
        addForm("/console/in-doubt/{id}/end", needs: .reconcile, to: &router) { try await end($0, $1) }
    }

    private static let filters = FilterForm(
        action: ConsoleView.inDoubt.rawValue,
        fields: [
            FilterField(
                "needs_person",
                "Handling",
                .choice([("true", "Review needed or advised"), ("false", "Schedule only")])
            ), FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"),
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ), FilterField("currency", "Currency"),
            FilterField("older_than", "Older than", .digits, hint: "seconds"),
            FilterField("sort", "First", .choice([("value", "The most at stake")]), unset: "The oldest"),
        ]
    )

    /// The worklist of payments in doubt, with their status.
    private func doubts(_ visit: Visit) async throws -> PageAnswer {
        let query = FormQuery(visit)
        let path = ConsoleView.inDoubt.rawValue
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let limit = try reader.limit(default: ConsoleView.inDoubt.pageSize)
        let cursor = try Cursor(&reader)
        let filter = try DoubtWorklist.Filter(&reader)
        let order = try DoubtQuery.Order(&reader)
        try reader.finish()
        let found = try await ledger.worklist.page(
            of: visit.tenant,
            matching: filter,
            sortedBy: order,
            after: try cursor?.doubt(in: order),
            limit: limit
        )
        let risk = try await ledger.worklist.risk(of: visit.tenant, matching: filter)
        let now = ledger.clock.now()
        let next = found.next.map { Cursor($0, in: order) }
        let totals = Table(
            caption: "At stake in all matching payments, with or without review",
            columns: ["Currency", "Payments#", "At stake#"],
            rows: risk.map { total in
                [
                    Cell(total.currency.alpha), .count(total.count),
                    .number(Money(total.value, total.currency).description),
                ]
            },
            whenEmpty: "Nothing is at stake."
        )
        let table = Table(
            caption: order == .age
                ? "Payments in doubt, the oldest first" : "Payments in doubt, the most at stake first",
            columns: [
                "Since", "Age", "In doubt", "At stake#", "Merchant", "Code", "Queries#", "Answer", "Next call",
                "Handling",
            ],
            rows: found.items.map { row(JSONValue.object($0.json(at: now)), visit) },
            whenEmpty: next == nil ? "Nothing is in doubt." : "Nothing on this page. Go to the next page."
        )
        return .page(
            Page(
                "inDoubt",
                "In doubt",
                [
                    "filters": Self.filters.value(query, visit.zone), "totals": totals.value, "table": table.value,
                    "next": next.map { .text(query.address(path, ["cursor": $0.text])) },
                    "first": cursor.map { _ in .text(query.address(path, ["cursor": nil])) },
                ]
            )
        )
    }

    /// - Parameter item: As the API returns it.
    private func row(_ item: JSONValue, _ visit: Visit) -> [Cell] {
        let attention = item["attention"]
        let person: Cell =
            switch attention?["isNeeded"]?.bool {
            case true?: .badge("Needs review", .bad)
            case false?: .badge("Review advised", .caution)
            case nil: Cell("Schedule")
            }
        return [
            .time(item["occurredAt"], in: visit.zone, href: Address.doubt(item["transaction"]?.string ?? "")),
            Cell(Wording.age(item["ageSeconds"]?.int64 ?? 0)), Cell(Self.what(item)), .money(item["atRisk"]),
            Cell(item["merchant"]?.string), .code(item["doubt"]?["code"]?.string),
            .count(item["asked"]?.int64 ?? 0), Cell(item["lastAsk"]?["answer"]?.string.map(Wording.sentence)),
            .time(item["nextAt"], in: visit.zone), person,
        ]
    }

    private static func what(_ item: JSONValue) -> String {
        if let what = item["doubt"]?["what"]?.string { return Wording.sentence(what) }
        return item["reversal"] == nil ? "Nothing" : "Reversal due"
    }

    /// One payment in doubt: the reason, the calls of gateways, and the possible actions.
    private func doubt(_ visit: Visit) async throws -> PageAnswer {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.doubt(id.text)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let moment = try Moment(&reader)
        try reader.finish()
        guard let item = try await ledger.doubt(id, of: visit.tenant, at: moment) else { throw Problem.notFound }
        var past: (moment: Moment, position: Int64)?
        if let moment { past = (moment, try await ledger.position(of: moment)) }
        let attention = item["attention"]
        return .page(
            Page(
                "doubt",
                Self.what(item) == "Nothing" ? "Not in doubt" : "In doubt: \(Self.what(item).lowercased())",
                [
                    "id": .text(id.text), "status": Cell.status(item["status"]?.string).value,
                    "asOf": PastForm(action: path, shown: past).value(query, visit.zone),
                    "amount": Wording.money(item["atRisk"]).map(PageValue.text),
                    "settled": .given(item["isOpen"] == false),
                    "attention": (attention?["explanation"]?.string).map { .text($0) },
                    "facts": facts(item, visit).value, "reversal": reversal(item["reversal"], visit).value,
                    "calls": calls(item["calls"]?.array ?? [], visit).value,
                    "working": item["isOpen"] == true && past == nil ? working(item, path, visit) : nil,
                ]
            )
        )
    }

    private func facts(_ item: JSONValue, _ visit: Visit) -> Facts {
        var facts = Facts()
        let payment = item["transaction"]?.string ?? ""
        facts.add("Payment", .code(payment, href: Address.transaction(payment)))
        facts.add("At stake", .money(item["atRisk"]))
        facts.add("Since", .time(item["occurredAt"], in: visit.zone))
        facts.add("Age", Wording.age(item["ageSeconds"]?.int64 ?? 0))
        facts.add("Merchant", item["merchant"]?.string)
        facts.add("Terminal", item["terminal"]?.string)
        facts.add("Vendor", item["vendor"]?.string.map(Wording.vendor))
        if let doubt = item["doubt"] {
            facts.add("Reported by", doubt["event"]?.string.map(Wording.sentence))
            if let position = doubt["position"]?.int64 {
                facts.add("Event", .count(position, href: Address.event(position)))
            }
            facts.add("Code", .code(doubt["code"]?.string))
            facts.add("Message", doubt["message"]?.string)
            facts.add("Sent", .time(doubt["sentAt"], in: visit.zone))
            let names = (item["gateways"]?.array ?? []).compactMap(\.string).joined(separator: ", ")
            facts.add("Gateways to query", names.isEmpty ? "none" : names)
        }
        facts.add("Queries sent", .number(item["asked"]?.text))
        facts.add("Last answer", item["lastAsk"]?["answer"]?.string.map(Wording.sentence))
        facts.add("Next call", .time(item["nextAt"], in: visit.zone))
        facts.add("Call in progress until", .time(item["underWayUntil"], in: visit.zone))
        facts.add("Not posted is accepted from", .time(item["notPostedFrom"], in: visit.zone))
        facts.add("Rule", .code(item["attention"]?["rule"]?.string ?? item["nextRule"]?.string))
        facts.add("Version", .number(item["version"]?.text))
        return facts
    }

    private func reversal(_ reversal: JSONValue?, _ visit: Visit) -> Facts {
        var facts = Facts()
        guard let reversal else { return facts }
        facts.add("Since", .time(reversal["dueAt"], in: visit.zone))
        facts.add("Deadline", .time(reversal["deadline"], in: visit.zone))
        facts.add("Sent", .number(reversal["sent"]?.text))
        facts.add("Last sent", .time(reversal["lastSentAt"], in: visit.zone))
        facts.add("Sent automatically", reversal["isSent"] == true ? "yes" : "no")
        return facts
    }

    private func calls(_ calls: [JSONValue], _ visit: Visit) -> Table {
        Table(
            caption: "Calls of gateways and their answers",
            columns: ["Event#", "Sent", "Gateway", "Operation", "Answered", "Answer", "Code", "Message"],
            rows: calls.map { call in
                let position = call["position"]?.int64 ?? 0
                let answer = call["verdict"]?.string ?? call["failure"]?.string
                return [
                    .count(position, href: Address.event(position)), .time(call["sentAt"], in: visit.zone),
                    Cell(call["gateway"]?.string), Cell(call["operation"]?.string.map(Wording.sentence)),
                    .time(call["answeredAt"], in: visit.zone),
                    Cell(answer.map(Wording.sentence) ?? (call["event"] == nil ? "In progress" : nil)),
                    .code(call["code"]?.string), Cell(call["differs"]?.string ?? call["message"]?.string),
                ]
            },
            whenEmpty: "No gateway was called yet."
        )
    }

    /// The forms of the possible actions, or the scopes that they need.
    private func working(_ item: JSONValue, _ path: String, _ visit: Visit) -> PageValue {
        guard visit.may(.reconcile) else {
            return .members(["scopes": .text(Permission.reconcile.scopeNames)])
        }
        let reaches = !(item["gateways"]?.array ?? []).isEmpty || item["reversal"]?["isSent"] == true
        let isFollowUp = item["doubt"]?["isFollowUp"] == true
        let undone: [FollowUpInDoubt.Subject] = [.followUp(.void), .followUp(.reversal), .withdrawnPayment]
        let subject = item["doubt"]?["what"]?.string.flatMap(FollowUpInDoubt.Subject.init)
        let takesBack = item["doubt"] == nil || subject.map(undone.contains) ?? false
        let labels: [(DoubtEnding.Outcome, String, Bool)] = [
            (.declined, "Declined: it did not take effect", item["doubt"] != nil),
            (.notPosted, "Not posted: it never arrived", item["doubt"] != nil),
            (.approved, "Approved: it took effect", item["doubt"] != nil),
            (.reversed, "Reversed: it took effect and was reversed", !isFollowUp || takesBack),
        ]
        return .members([
            "forms": .members([
                "path": .text(path), "token": .text(visit.token.formToken), "once": .text(ledger.ids.next().text),
                "version": .text(item["version"]?.text ?? "0"), "longest": "\(DoubtCommands.longestText)",
                "ask": .given(reaches), "currency": .text(item["atRisk"]?["currency"]?.string ?? ""),
                "outcomes": .list(
                    labels.filter(\.2).map { .members(["name": .text($0.0.rawValue), "label": .text($0.1)]) }
                ),
            ])
        ])
    }

    // MARK: Actions

    /// Queries the gateway as the API does, and shows the result.
    private func ask(_ visit: Visit) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        guard try await ledger.ask(id, sender: sender(visit)) != nil else { throw Problem.notFound }
        return redirect(to: Address.doubt(id.text))
    }

    private func end(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        var body: JSONObject = [:]
        for name in ["as", "evidence", "reason"] { body.set(name, fields[name]) }
        if let version = fields["version"].flatMap({ Int64($0) }) { body["expectedVersion"] = .number(.init(version)) }
        if let text = fields["amount"], !text.isEmpty {
            guard let currency = Currency(alpha: fields["currency"] ?? ""),
                let amount = try? Money.parse(decimal: text, currency: currency)
            else {
                throw Problem(
                    status: 400,
                    code: "malformed-record",
                    title: "The amount cannot be read",
                    detail: "Go back and enter it with the decimals of its currency, such as 12.50 and USD."
                )
            }
            body["amount"] = amount.json
        }
        let command = try EndDoubt(reading: .object(body))
        let outcome = try await ledger.doubtCommands.end(
            id,
            command.ending,
            version: command.version,
            idempotencyKey: fields["once"].map { "console:end:\($0)" },
            sender: sender(visit)
        )
        _ = try await ledger.readModels.wait(
            for: "transactions",
            toReach: outcome.position,
            timeout: ledger.waitLimit
        )
        return redirect(to: Address.doubt(id.text))
    }
}
