import Access
import Canonical
import Composition
import HTTPEdge
import Matching
import Operations
import Payments
import Projections
import Reconciliation

extension WebConsole {
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
        let form = ExceptionForm(
            item.first,
            visit,
            candidate: chosen.flatMap { Int(exactly: $0) },
            once: ledger.ids.next()
        )
        let past = moment.flatMap { moment in position.map { (moment: moment, position: $0) } }
        var page = Page(
            "exception",
            Wording.sentence(item.class.rawValue),
            [
                "id": .text(id.text), "status": Self.badge(item.status).value,
                "amount": (item.amount?.description).map(PageValue.text),
                "explanation": .text(item.class.explanation),
                "asOf": PastForm(action: path, shown: past).value(query, visit.zone),
                "facts": exceptionFacts(item.first, visit).value, "line": lineFacts(item.statementLine).value,
                "candidates": candidateTable(item.candidates ?? [], position == nil && form.isOpen ? path : nil).value,
                "proposal": proposal(item.proposal).value, "resolution": resolution(item.resolution).value,
                "steps": stepTable(item.steps, visit).value,
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

    private func exceptionFacts(_ item: ExceptionJSON, _ visit: Visit) -> Facts {
        var facts = Facts()
        facts.add("Payment", .payment(item.transaction))
        facts.add("Movement", .code(item.movement))
        facts.add("Payment status", .status(item.paymentStatus))
        facts.add("Line", .code(item.line?.text))
        facts.add("Statement", .statement(item.statement))
        for control in item.controls ?? [] {
            let figures = [control.stated, control.computed].map { $0.map { "\($0)" } ?? "nothing" }
            facts.add("Control", "\(control.name) (\(control.scope)): stated \(figures[0]), computed \(figures[1])")
        }
        facts.add("Processor", item.processor)
        facts.add("File expected by", .time(item.expectedBy, in: visit.zone))
        facts.add("Day", item.day)
        facts.add("Merchant", item.merchant ?? "none: no report names one")
        facts.add("Terminal", item.terminal)
        facts.add("Amount", .money(item.amount))
        facts.add("Expected", .money(item.expected))
        facts.add("Line amount", .money(item.lineAmount))
        facts.add("Ledger amount", .money(item.ledgerAmount))
        facts.add("Rule", .code(item.rule))
        facts.add("Assigned to", item.assignee)
        facts.add("First raised", .time(item.firstAt, in: visit.zone))
        facts.add("Newest evidence", .time(item.evidenceAt, in: visit.zone))
        facts.add("Event that raised it", .event(item.firstPosition))
        facts.add("Event of the evidence", .event(item.evidencePosition))
        facts.add("Times reopened", .count(item.reopenings))
        facts.add("Version", .count(item.version))
        return facts
    }

    /// The line of a statement, as reported.
    private func lineFacts(_ line: ExceptionHistoryJSON.Line?) -> Facts {
        var facts = Facts()
        guard let line else { return facts }
        facts.add("Statement", .statement(line.statement))
        facts.add("Number in it", .count(line.number))
        facts.add("Type", .name(line.type))
        facts.add("Gross", .money(line.gross))
        facts.add("Fees", .money(line.fees))
        facts.add("Net", .money(line.net))
        facts.add("Day", line.anyDay)
        for reference in line.references.members {
            let text = reference.value.string
            facts.add(Wording.sentence(reference.key), .code(text, href: text.flatMap(Address.search)))
        }
        return facts
    }

    /// - Parameter path: The page on which a candidate can be matched by hand; nil if that is not possible.
    private func candidateTable(_ candidates: [MatchCandidateJSON], _ path: String?) -> Table {
        Table(
            caption: "Candidates, and why they do not match",
            columns: ["Candidate", "Amount#", "Day", "Rule", "Difference", "By hand"],
            rows: candidates.enumerated().map { number, candidate in
                var match = Cell(nil)
                if let path, candidate.isMatch {
                    let place = Address.path(path, [("candidate", "\(number)")]) + "#resolving"
                    match = Cell("Match", href: place)
                }
                return [
                    candidate.transaction == nil ? .code(candidate.line?.text) : .payment(candidate.transaction),
                    .money(candidate.amount), Cell(candidate.day), .code(candidate.rule),
                    Cell(candidate.reasons.map(\.words).joined(separator: ", ")), match,
                ]
            },
            whenEmpty: "No candidates. Later evidence may still explain it."
        )
    }

    private func proposal(_ proposal: ExceptionJSON.Proposal?) -> Facts {
        guard let proposal else { return Facts() }
        var facts = resolution(proposal.resolution)
        facts.add("Reason", proposal.reason)
        facts.add("Proposed by", .code(proposal.by))
        return facts
    }

    private func resolution(_ resolution: ExceptionResolution?) -> Facts {
        var facts = Facts()
        guard let resolution else { return facts }
        facts.add("Kind", .name(resolution.kind))
        facts.add("Correction", resolution.correction)
        for line in resolution.lines ?? [] { facts.add("Line", .code(line.text)) }
        for movement in resolution.movements ?? [] {
            let payment = movement.transaction.text
            facts.add("Movement", .code("\(payment)/\(movement.movement)", href: Address.transaction(payment)))
        }
        return facts
    }

    private func stepTable(_ steps: [ExceptionStepJSON], _ visit: Visit) -> Table {
        Table(
            caption: "Steps, oldest first",
            columns: ["Event#", "When", "Step", "Actor", "Status", "Reason", "Details"],
            rows: steps.map { step in
                let resolution = step.details?.resolution
                let details = [
                    step.details?.assignee, (resolution?.kind.rawValue).map(Wording.sentence), resolution?.correction,
                ].compactMap(\.self)
                return [
                    .event(step.position), .time(step.at, in: visit.zone), Cell(Wording.sentence(step.type)),
                    .code(step.actor), Self.badge(step.status), Cell(step.details?.reason),
                    Cell(details.joined(separator: ", ")),
                ]
            },
            whenEmpty: "No steps yet."
        )
    }

    // MARK: Actions

    /// Acts on an exception as the API does, and shows the exception.
    func act(_ action: String, _ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        _ = try await ledger.reconciliation.exceptionCommands.act(
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
        case .duplicateAtProcessor:
            "A second line reports money that is already explained, or a fee that another file reports, too."
        case .duplicateInLedger: "A second movement corresponds to a line that is already explained."
        case .unmatchedDeposit:
            "Money at the bank that no payout explains, or a payout or another transfer that no bank reports."
        case .payoutDiffers: "The payout differs from the sum of the lines that it pays."
        case .negativeBalance: "A balance below zero was carried over, and no later line takes it over."
        case .controlFailed: "A total, count or balance in the file does not agree with its lines."
        case .missingStatement: "No file of the processor covers the business day, although it was expected by now."
        case .batchOutOfBalance: "The total of a batch differs from the sum of its lines."
        case .feeDiffers: "The fee differs from the agreed fee."
        case .late: "The line came later than agreed."
        case .chargebackWithoutSale: "A chargeback of a sale that is not in the ledger."
        case .chargebackNotRecorded: "A chargeback of a payment that has not recorded it."
        case .unexplainedLine:
            "Money of the processor that is no payment, and that neither a rule nor a contract nor another line explains."
        case .expiredAuthorization: "The authorization was approved and never captured."
        case .inDoubtResolved: "The outcome of the payment was unknown; the line proves it."
        }
    }
}

extension MatchCandidateJSON.Reason {
    fileprivate var words: String {
        switch self {
        case .noMoney: "no money moved"
        case .taken: "already explained"
        case .currencyDiffers: "another currency"
        case .amountDiffers: "another amount"
        case .dayDiffers: "another day"
        case .notUnique: "not unique"
        }
    }
}
