import Access
import Canonical
import Composition
import HTTPEdge
import Operations
import Payments
import Projections
import Reconciliation
import Redaction

extension WebConsole {
    func addDisputes(to router: inout EdgeRouter<Principal>) {
        addPage(.disputes, needs: [.read], to: &router) { try await disputes($0) }
        addPage(.dispute, needs: [.read], to: &router) { .page(try await dispute($0)) }
        addFile("\(ConsoleView.dispute.rawValue)/evidence", needs: [.read], to: &router) { try await evidence($0) }
        for name in DisputeStep.Name.allCases {
            addForm("\(ConsoleView.dispute.rawValue)/\(name.rawValue)", needs: .reconcile, to: &router) {
                try await act($0, $1, name)
            }
        }
    }

    private static let filters = FilterForm(
        action: ConsoleView.disputes.rawValue,
        fields: [
            FilterField("open", "Outcome", .choice([("true", "Not known"), ("false", "Known")])),
            FilterField(
                "status",
                "Status",
                .choice(DisputeStatus.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ), FilterField("merchant", "Merchant"), FilterField("transaction", "Payment"),
            FilterField("deadline_before", "Answer due before", .day),
        ]
    )

    /// The disputes of chargebacks.
    private func disputes(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(Lists.disputes, .disputes, "disputes", "Disputes", visit, filters: Self.filters) {
            (disputes: [DisputeJSON]) in
            Table(
                caption: "Disputes of chargebacks, newest first",
                columns: ["Charged back", "Status", "Amount#", "Merchant", "Reason code", "Answer by", "Payment"],
                rows: disputes.map { dispute in
                    [
                        .time(dispute.reportedAt, in: visit.zone, href: Address.dispute(dispute.id.text)),
                        Self.badge(dispute.status), .money(dispute.amount), Cell(dispute.merchant),
                        .code(dispute.reasonCode), Cell(dispute.respondBy), .payment(dispute.transaction),
                    ]
                },
                whenEmpty: "No chargeback is disputed."
            )
        }
    }

    private static func badge(_ status: DisputeStatus) -> Cell {
        let tone: Cell.Tone =
            switch status {
            case .open: .caution
            case .represented: .plain
            case .won, .reversed: .good
            case .lost: .bad
            }
        return .badge(Wording.sentence(status.rawValue), tone)
    }

    private func found(_ visit: Visit) async throws -> DisputeJSON {
        guard let id = UUID128(try visit.request.parameter("id")),
            let found = try await ledger.reconciliation.disputes.dispute(id, of: visit.tenant)
        else { throw Problem.notFound }
        return try DisputeJSON(found)
    }

    /// One dispute, with the forms that follow it.
    private func dispute(_ visit: Visit) async throws -> Page {
        try visit.query.finish()
        let dispute = try await found(visit)
        let path = Address.dispute(dispute.id.text)
        var facts = Facts()
        facts.add("Payment", .payment(dispute.transaction))
        facts.add("Amount", .money(dispute.amount))
        facts.add("Chargeback", .code(dispute.chargeback))
        facts.add("Charged back", .time(dispute.reportedAt, in: visit.zone))
        facts.add("Merchant", dispute.merchant, href: dispute.merchant.map(Address.merchant))
        facts.add("Vendor", dispute.vendor?.displayName)
        facts.add("Reason code", .code(dispute.reasonCode))
        facts.add("Answer by", dispute.respondBy)
        facts.add("Evidence first sent", .time(dispute.representedAt, in: visit.zone))
        facts.add("Times sent", .count(dispute.representations))
        facts.add("Outcome recorded", .time(dispute.closedAt, in: visit.zone))
        facts.add("Version", .count(dispute.version))
        let working: PageValue =
            visit.may(.reconcile)
            ? .members([
                "forms": .members([
                    "path": .text(path), "token": .text(visit.token.formToken), "once": .text(ledger.ids.next().text),
                    "version": "\(dispute.version)", "longest": "\(Reason.mostBytes)",
                    "longestCode": "\(DisputeReport.longestCode)",
                    "longestDocuments": "\(DisputeCommands.longestDocuments)",
                ])
            ]) : .members(["scopes": .text(Permission.reconcile.scopeNames)])
        return Page(
            "dispute",
            "Dispute of \(dispute.amount)",
            [
                "id": .text(dispute.id.text), "status": Self.badge(dispute.status).value, "facts": facts.value,
                "evidence": .text("\(path)/evidence"), "working": working,
            ]
        )
    }

    /// What the ledger has against the chargeback, as a file.
    private func evidence(_ visit: Visit) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let found = try await ledger.disputeBundle(of: id, tenant: visit.tenant) else { throw Problem.notFound }
        return try .attachment(found.lines(), type: "application/x-ndjson", name: found.fileName)
    }

    // MARK: Actions

    private func act(_ visit: Visit, _ fields: FormFields, _ name: DisputeStep.Name) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        var body: JSONObject = [:]
        for member in ["reasonCode", "respondBy", "documents", "as", "reason"] {
            if let value = fields[member], !value.isEmpty { body[member] = .string(value) }
        }
        if let version = fields["version"].flatMap({ Int64($0) }) { body["expectedVersion"] = .number(.init(version)) }
        let step = try DisputeStep(name, reading: .object(body))
        let key = fields["once"].map { "console:\(name.rawValue):\($0)" }
        switch try await ledger.act(step, on: id, idempotencyKey: key, sender: sender(visit)) {
        case .proposed: return redirect(to: ConsoleView.proposals.rawValue)
        case .recorded: return redirect(to: Address.dispute(id.text))
        }
    }
}
