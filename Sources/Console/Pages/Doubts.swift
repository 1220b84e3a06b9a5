import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections
import Redaction
import Replay

extension WebConsole {
    func addDoubts(to router: inout EdgeRouter<Principal>) {
        addPage(.doubts, needs: [.read], to: &router) { try await doubts($0) }
        addPage(.doubt, needs: [.read], to: &router) { try await doubt($0) }
        // A gateway may take minutes.
        addForm("/console/doubts/{id}/query", needs: .reconcile, span: .stream, to: &router) { visit, _ in
            try await query(visit)
        }
        addForm("/console/doubts/{id}/end", needs: .reconcile, to: &router) { try await end($0, $1) }
    }

    private static let filters = FilterForm(
        action: ConsoleView.doubts.rawValue,
        fields: [
            FilterField(
                "needs_person",
                "Handling",
                .choice([("true", "Review needed or advised"), ("false", "Schedule only")])
            ), FilterField("merchant", "Merchant"), FilterField("terminal", "Terminal"),
            FilterField("reader", "Reader"), FilterField("reader_holds_result", "Reader holds a result", .check),
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
        let isByValue = FormQuery(visit)["sort"] == DoubtQuery.Order.value.rawValue
        var isLast = true
        return try await listPage(
            Lists.doubts,
            .doubts,
            "doubts",
            "In doubt",
            visit,
            filters: Self.filters,
            values: { found in
                isLast = found.next == nil
                return ["totals": atStake(try found.head(as: DoubtTotalsJSON.self).totals).value]
            },
            table: { (items: [DoubtJSON]) in
                Table(
                    caption: isByValue
                        ? "Payments in doubt, the most at stake first" : "Payments in doubt, the oldest first",
                    columns: [
                        "Since", "Age", "In doubt", "At stake#", "Merchant", "Reader", "Code", "Queries#", "Answer",
                        "Next call", "Handling",
                    ],
                    rows: items.map { row($0, visit) },
                    whenEmpty: isLast ? "Nothing is in doubt." : "Nothing on this page. Go to the next page."
                )
            }
        )
    }

    private func atStake(_ totals: [ValueAtRiskJSON]) -> Table {
        Table(
            caption: "At stake in all matching payments, with or without review",
            columns: ["Currency", "Payments#", "At stake#"],
            rows: totals.map { [Cell($0.atRisk.currency.alpha), .count($0.count), .money($0.atRisk)] },
            whenEmpty: "Nothing is at stake."
        )
    }

    private func row(_ item: DoubtJSON, _ visit: Visit) -> [Cell] {
        let review: Cell =
            switch item.attention?.isNeeded {
            case true?: .badge("Needs review", .bad)
            case false?: .badge("Review advised", .caution)
            case nil: Cell("Schedule")
            }
        return [
            .time(item.occurredAt, in: visit.zone, href: Address.doubt(item.transaction.text)),
            Cell(Wording.age(item.ageSeconds)), Cell(Self.subject(item)), .money(item.atRisk), Cell(item.merchant),
            Self.reader(item), .code(item.doubt?.code), .count(item.queries), .name(item.lastQuery?.answer),
            .time(item.nextAt, in: visit.zone), review,
        ]
    }

    /// The reader, and whether it holds a result.
    private static func reader(_ item: DoubtJSON) -> Cell {
        guard let reader = item.reader else { return Cell(nil) }
        let held = reader.holdsResult == true ? ", holds a result" : ""
        return Cell(reader.serial + held, href: Address.reader(reader.vendor.rawValue, reader.serial))
    }

    private static func subject(_ item: DoubtJSON) -> String {
        if let what = item.doubt?.what { return Wording.sentence(what) }
        return item.reversal == nil ? "Nothing" : "Reversal due"
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
        guard let found = try await ledger.doubt(id, of: visit.tenant, at: moment) else { throw Problem.notFound }
        let item = found.first
        var past: (moment: Moment, position: Int64)?
        if let moment { past = (moment, try await ledger.position(of: moment)) }
        return .page(
            Page(
                "doubt",
                Self.subject(item) == "Nothing" ? "Not in doubt" : "In doubt: \(Self.subject(item).lowercased())",
                [
                    "id": .text(id.text), "status": Cell.status(item.status.rawValue).value,
                    "asOf": PastForm(action: path, shown: past).value(query, visit.zone),
                    "amount": (item.atRisk?.description).map(PageValue.text),
                    "settled": .given(!item.isOpen),
                    "attention": (item.attention?.explanation).map(PageValue.text),
                    "facts": facts(item, visit).value, "reversal": reversal(item.reversal, visit).value,
                    "calls": calls(found.calls, visit).value,
                    "working": item.isOpen && past == nil ? working(item, path, visit) : nil,
                ]
            )
        )
    }

    private func facts(_ item: DoubtJSON, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Payment", .payment(item.transaction))
        facts.add("At stake", .money(item.atRisk))
        facts.add("Since", .time(item.occurredAt, in: visit.zone))
        facts.add("Age", Wording.age(item.ageSeconds))
        facts.add("Merchant", item.merchant)
        facts.add("Terminal", item.terminal)
        facts.add("Reader", Self.reader(item))
        facts.add("What to do", [item.reader?.remedy, item.doubt?.remedy].compactMap(\.self).joined(separator: " "))
        facts.add("Vendor", item.vendor?.displayName)
        if let doubt = item.doubt {
            facts.add("Reported by", Wording.sentence(doubt.event))
            facts.add("Event", .event(doubt.position))
            facts.add("Code", .code(doubt.code))
            facts.add("Message", doubt.message)
            facts.add("Sent", .time(doubt.sentAt, in: visit.zone))
            let names = item.gateways.joined(separator: ", ")
            facts.add("Gateways to query", names.isEmpty ? "none" : names)
        }
        facts.add("Queries sent", .count(item.queries))
        facts.add("Last answer", .name(item.lastQuery?.answer))
        facts.add("Next call", .time(item.nextAt, in: visit.zone))
        facts.add("Call in progress until", .time(item.underWayUntil, in: visit.zone))
        facts.add("Not posted is accepted from", .time(item.notPostedFrom, in: visit.zone))
        facts.add("Rule", .code(item.attention?.rule ?? item.nextRule))
        facts.add("Version", .count(item.version))
        return facts
    }

    private func reversal(_ reversal: DoubtJSON.Reversal?, _ visit: Visit) -> Facts {
        var facts = Facts()
        guard let reversal else { return facts }
        facts.add("Since", .time(reversal.dueAt, in: visit.zone))
        facts.add("Deadline", .time(reversal.deadline, in: visit.zone))
        facts.add("Sent", .count(reversal.sent))
        facts.add("Last sent", .time(reversal.lastSentAt, in: visit.zone))
        facts.add("Sent automatically", reversal.isSent ? "yes" : "no")
        return facts
    }

    private func calls(_ calls: [GatewayCallJSON], _ visit: Visit) -> Table {
        Table(
            caption: "Calls of gateways and their answers",
            columns: ["Event#", "Sent", "Gateway", "Operation", "Answered", "Answer", "Code", "Message"],
            rows: calls.map { call in
                let answer = call.verdict?.rawValue ?? call.failure
                return [
                    .event(call.position), .time(call.sentAt, in: visit.zone), Cell(call.gateway),
                    .name(call.operation), .time(call.answeredAt, in: visit.zone),
                    Cell(answer.map(Wording.sentence) ?? (call.event == nil ? "In progress" : nil)),
                    .code(call.code), Cell(call.differs ?? call.message),
                ]
            },
            whenEmpty: "No gateway was called yet."
        )
    }

    /// The forms of the possible actions, or the scopes that they need.
    private func working(_ item: DoubtJSON, _ path: String, _ visit: Visit) -> PageValue {
        guard visit.may(.reconcile) else {
            return .members(["scopes": .text(Permission.reconcile.scopeNames)])
        }
        let reaches = !item.gateways.isEmpty || item.reversal?.isSent == true
        let isFollowUp = item.doubt?.isFollowUp == true
        let undone: [FollowUpInDoubt.Subject] = [.followUp(.void), .followUp(.reversal), .withdrawnPayment]
        let subject = item.doubt.flatMap { FollowUpInDoubt.Subject(rawValue: $0.what) }
        let takesBack = item.doubt == nil || subject.map(undone.contains) ?? false
        let labels: [(DoubtEnding.Outcome, String, Bool)] = [
            (.declined, "Declined: it did not take effect", item.doubt != nil),
            (.notPosted, "Not posted: it never arrived", item.doubt != nil),
            (.approved, "Approved: it took effect", item.doubt != nil),
            (.reversed, "Reversed: it took effect and was reversed", !isFollowUp || takesBack),
        ]
        return .members([
            "forms": .members([
                "path": .text(path), "token": .text(visit.token.formToken), "once": .text(ledger.ids.next().text),
                "version": "\(item.version)", "longestEvidence": "\(DoubtCommands.longestEvidence)",
                "longest": "\(Reason.mostBytes)",
                "query": .given(reaches), "currency": .text(item.atRisk?.currency.alpha ?? ""),
                "outcomes": .list(
                    labels.filter(\.2).map { .members(["name": .text($0.0.rawValue), "label": .text($0.1)]) }
                ),
            ])
        ])
    }

    // MARK: Actions

    /// Queries the gateway as the API does, and shows the result.
    private func query(_ visit: Visit) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        guard try await ledger.queryDoubt(id, sender: sender(visit)) != nil else { throw Problem.notFound }
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
        _ = try await ledger.replay.doubts.propose(
            id,
            command.ending,
            version: command.version,
            idempotencyKey: fields["once"].map { "console:end:\($0)" },
            sender: sender(visit)
        )
        return redirect(to: ConsoleView.proposals.rawValue)
    }
}
