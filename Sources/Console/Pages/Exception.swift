import Access
import Canonical
import HTTPEdge
import Ledger
import Matching
import Operations
import Payments
import Projections
import Reconciliation

extension Console {
    /// One exception: its subject, its candidates, its history and the possible actions.
    func exception(_ visit: Visit) async throws -> PageAnswer {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let query = FormQuery(visit)
        let path = Address.exception(id.text)
        guard query.isPlain else { return .redirect(query.address(path)) }
        var reader = try query.reader()
        let moment = try Moment(&reader)
        let chosen = try reader.integer("candidate", in: 0...1000)
        try reader.finish()
        let position = try await position(of: moment)
        guard let item = try await ledger.exception(id, of: visit.tenant, at: position) else { throw Problem.notFound }
        let candidates = item["candidates"]?.array ?? []
        let form = ExceptionForm(item, visit, candidate: chosen.flatMap { Int(exactly: $0) }, once: ledger.ids.next())
        let name = item["class"]?.string ?? ""
        let past = moment.flatMap { moment in position.map { (moment: moment, position: $0) } }
        var page = Page(
            "exception",
            Wording.sentence(name),
            [
                "id": .text(id.text), "status": Self.stand(item["status"]?.string).value,
                "amount": Wording.money(item["amount"]).map(PageValue.text),
                "explanation": ExceptionClass(rawValue: name).map { .text($0.explanation) },
                "asOf": PastForm(action: path, shown: past).value(query, visit.zone),
                "facts": exceptionFacts(item, visit).value, "line": lineFacts(item["statementLine"]).value,
                "candidates": candidateTable(candidates, position == nil && form.isOpen ? path : nil).value,
                "proposal": proposal(item["proposal"]).value, "resolution": end(item["resolution"]).value,
                "steps": stepTable(item["steps"]?.array ?? [], visit).value,
                "working": position == nil ? form.value : nil,
            ]
        )
        page.place = visit.place
        page.place?["candidate"] = nil
        if let position {
            page.place?["as_of"] = nil
            page.place?["as_of_position"] = "\(position)"
        }
        return .page(page)
    }

    // MARK: Sections

    private func exceptionFacts(_ item: JSONValue, _ visit: Visit) -> Facts {
        var facts = Facts()
        if let payment = item["transaction"]?.string {
            facts.add("Payment", .code(payment, href: Address.transaction(payment)))
        }
        facts.add("Movement", .code(item["movement"]?.string))
        facts.add("Payment status", .status(item["paymentStatus"]?.string))
        if let line = item["line"]?.string { facts.add("Line", .code(line)) }
        facts.add("Day", item["day"]?.string)
        facts.add("Merchant", item["merchant"]?.string ?? "none: no report names one")
        facts.add("Terminal", item["terminal"]?.string)
        let amounts = [
            ("amount", "Unexplained"), ("expected", "Expected"), ("lineAmount", "Line amount"),
            ("ledgerAmount", "Ledger amount"),
        ]
        for (member, label) in amounts { facts.add(label, .money(item[member])) }
        facts.add("Rule", .code(item["rule"]?.string))
        facts.add("Assigned to", item["assignee"]?.string)
        facts.add("First raised", .time(item["firstAt"], in: visit.zone))
        facts.add("Newest evidence", .time(item["evidenceAt"], in: visit.zone))
        for (member, label) in [
            ("firstPosition", "Event that raised it"), ("evidencePosition", "Event of the evidence"),
        ] {
            guard let position = item[member]?.int64 else { continue }
            facts.add(label, .count(position, href: Address.event(position)))
        }
        facts.add("Times reopened", .number(item["reopenings"]?.text))
        facts.add("Version", .number(item["version"]?.text))
        return facts
    }

    /// The line of a statement, as reported.
    private func lineFacts(_ line: JSONValue?) -> Facts {
        var facts = Facts()
        guard let line else { return facts }
        if let statement = line["statement"]?.string {
            facts.add("Statement", .code(statement, href: Address.statement(statement)))
        }
        facts.add("Number in it", .number(line["number"]?.text))
        facts.add("Type", line["type"]?.string.map(Wording.sentence))
        for (member, label) in [("gross", "Gross"), ("fees", "Fees"), ("net", "Net")] {
            facts.add(label, .money(line[member]))
        }
        facts.add("Day", line["day"]?.string ?? line["bookedDay"]?.string ?? line["valueDay"]?.string)
        for reference in line["references"]?.object?.members ?? [] {
            let text = reference.value.string
            facts.add(Wording.sentence(reference.key), .code(text, href: text.flatMap(Address.search)))
        }
        return facts
    }

    /// - Parameter path: The page on which a candidate can be matched by hand; nil if that is not possible.
    private func candidateTable(_ candidates: [JSONValue], _ path: String?) -> Table {
        Table(
            caption: "Candidates, and why they do not match",
            columns: ["Candidate", "Amount#", "Day", "Rule", "Difference", "By hand"],
            rows: candidates.enumerated().map { number, candidate in
                let reasons = (candidate["reasons"]?.array ?? []).compactMap(\.string).map(Self.reason)
                let payment = candidate["transaction"]?.string
                var match = Cell(nil)
                if let path, ExceptionForm.isMatch(candidate) {
                    let place = Address.path(path, [("candidate", "\(number)")]) + "#resolving"
                    match = Cell("Match", href: place)
                }
                return [
                    payment.map { .code($0, href: Address.transaction($0)) } ?? .code(candidate["line"]?.string),
                    .money(candidate["amount"]), Cell(candidate["day"]?.string), .code(candidate["rule"]?.string),
                    Cell(reasons.joined(separator: ", ")),
                    match,
                ]
            },
            whenEmpty: "No candidates. Later evidence may still explain it."
        )
    }

    private static func reason(_ code: String) -> String {
        switch code {
        case "no-money": "no money moved"
        case "taken": "already explained"
        case "currency-differs": "another currency"
        case "amount-differs": "another amount"
        case "day-differs": "another day"
        case "not-unique": "not unique"
        default: Wording.sentence(code)
        }
    }

    private func proposal(_ proposal: JSONValue?) -> Facts {
        guard let proposal else { return Facts() }
        var facts = end(proposal["resolution"])
        facts.add("Reason", proposal["reason"]?.string)
        facts.add("Proposed by", .code(proposal["by"]?.string))
        return facts
    }

    /// The resolution.
    private func end(_ resolution: JSONValue?) -> Facts {
        var facts = Facts()
        guard let resolution else { return facts }
        facts.add("Kind", resolution["kind"]?.string.map(Wording.sentence))
        facts.add("Correction", resolution["correction"]?.string)
        for line in resolution["lines"]?.array ?? [] { facts.add("Line", .code(line.string)) }
        for movement in resolution["movements"]?.array ?? [] {
            guard let payment = movement["transaction"]?.string else { continue }
            let name = "\(payment)/\(movement["movement"]?.string ?? "")"
            facts.add("Movement", .code(name, href: Address.transaction(payment)))
        }
        return facts
    }

    private func stepTable(_ steps: [JSONValue], _ visit: Visit) -> Table {
        Table(
            caption: "Steps, oldest first",
            columns: ["Event#", "When", "Step", "Actor", "Status", "Reason", "Details"],
            rows: steps.map { step in
                let reported = step["details"]
                let position = step["position"]?.int64 ?? 0
                let said = [
                    reported?["assignee"]?.string, reported?["resolution"]?["kind"]?.string.map(Wording.sentence),
                    reported?["resolution"]?["correction"]?.string,
                ].compactMap(\.self)
                return [
                    .count(position, href: Address.event(position)), .time(step["at"], in: visit.zone),
                    Cell(step["type"]?.string.map(Wording.sentence)), .code(step["actor"]?.string),
                    Self.stand(step["status"]?.string), Cell(reported?["reason"]?.string),
                    Cell(said.joined(separator: ", ")),
                ]
            },
            whenEmpty: "No steps yet."
        )
    }

    // MARK: Actions

    /// Acts on an exception as the API does, and shows the exception.
    func act(_ action: String, _ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        _ = try await ledger.exceptionCommands.act(
            try ExceptionAction(action, reading: .object(ExceptionForm.body(action, fields))),
            on: id,
            reason: try fields.reason(),
            version: fields["version"].flatMap { Int64($0) },
            idempotencyKey: fields["once"].map { "console:\(action):\($0)" },
            sender: sender(visit),
            waitLimit: ledger.waitLimit
        )
        return redirect(to: Address.exception(id.text))
    }
}

extension ExceptionClass {
    /// The explanation on the page.
    fileprivate var explanation: String {
        switch self {
        case .missingInLedger: "The processor moved money that is not in the ledger."
        case .missingAtProcessor:
            "The ledger's money is in no line of the processor, although its lines are recent enough."
        case .amountDiffers: "Line and ledger have different amounts."
        case .currencyDiffers: "Line and ledger have different currencies."
        case .statusDiffers: "One side moved money where the other reports that none should move."
        case .duplicateAtProcessor: "A second line reports money that is already explained."
        case .duplicateInLedger: "A second movement corresponds to a line that is already explained."
        case .unmatchedDeposit: "Money at the bank that no payout explains, or a payout that did not arrive."
        case .batchOutOfBalance: "The total of a batch differs from the sum of its lines."
        case .feeDiffers: "The fee differs from the agreed fee."
        case .late: "The line came later than agreed."
        case .chargebackWithoutSale: "A chargeback of a sale that is not in the ledger."
        case .expiredAuthorization: "The authorization was approved and never captured."
        case .inDoubtResolved: "The outcome of the payment was unknown; the line proves it."
        }
    }
}
