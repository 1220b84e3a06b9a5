import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Intake
import Operations
import Payments
import Projections
import Redaction

extension WebConsole {
    func addAnomalies(to router: inout EdgeRouter<Principal>) {
        addPage(.anomalies, needs: [.read], to: &router) { try await anomalies($0) }
        addPage(.anomaly, needs: [.read], to: &router) { .page(try await anomaly($0)) }
        addForm("/console/anomalies/{id}/acknowledge", needs: .acknowledgeAnomalies, to: &router) { visit, fields in
            try await acknowledge(visit, fields)
        }
    }

    private static let filters = FilterForm(
        action: "\(Address.root)/anomalies",
        fields: [
            FilterField(
                "state",
                "Status",
                .choice(AnomalyView.State.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ),
            FilterField(
                "kind",
                "Kind",
                .choice(Anomaly.Kind.allCases.map { ($0.rawValue, Wording.sentence($0.rawValue)) })
            ),
            FilterField(
                "vendor",
                "Vendor",
                .choice(Vendor.allCases.map { ($0.rawValue, Wording.vendor($0.rawValue)) })
            ), FilterField("merchant", "Merchant"),
            FilterField("test", "Payments", .choice([("false", "Live"), ("true", "Test")])),
            FilterField("from", "From", .time),
            FilterField("to", "Before", .time),
        ]
    )

    /// The worklist of anomalies, newest first.
    private func anomalies(_ visit: Visit) async throws -> PageAnswer {
        try await listPage(Lists.anomalies, .anomalies, "anomalies", "Anomalies", visit, filters: Self.filters) {
            (items: [AnomalyJSON]) in
            Table(
                caption: "Anomalies, newest first",
                columns: ["Happened", "Status", "Anomaly", "Explanation", "Subject", "Merchant"],
                rows: items.map { item in
                    [
                        .time(item.occurredAt, in: visit.zone, href: Address.anomaly(item.id.description)),
                        Self.state(item.state), Cell(Wording.sentence(item.kind.rawValue)), Cell(item.explanation),
                        .code(item.stream, href: Self.place(ofStream: item.stream)), Cell(item.merchant),
                    ]
                },
                whenEmpty: "No anomalies found. If you set filters, change them."
            )
        }
    }

    private static func state(_ state: AnomalyView.State) -> Cell {
        .badge(Wording.sentence(state.rawValue), state == .open ? .caution : .good)
    }

    private func anomaly(_ visit: Visit) async throws -> Page {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        try visit.query.finish()
        guard let item = try await ledger.payments.anomalies.anomaly(id, of: visit.tenant) else {
            throw Problem.notFound
        }
        var facts = Facts()
        facts.add("Subject", .code(item.stream, href: Self.place(ofStream: item.stream)))
        facts.add("Vendor", item.vendor.map(Wording.vendor))
        facts.add("Merchant", item.merchant)
        facts.add("Terminal", item.terminal)
        facts.add("Happened", .time(item.occurredAt, in: visit.zone))
        facts.add("Recorded", .time(item.recordedAt, in: visit.zone))
        facts.add("Event", .number("\(item.position)", href: Address.event(item.position)))
        for stream in item.anomaly.related ?? [] {
            facts.add("Related", .code(stream, href: Self.place(ofStream: stream)))
        }
        if let cleared = item.cleared {
            facts.add("Cleared by event", .number("\(cleared)", href: Address.event(cleared)))
        }
        var reported = Facts()
        if let acknowledgement = item.acknowledgement {
            reported.add("Reason", acknowledgement.reason)
            reported.add("By", .code(acknowledgement.by))
            reported.add("When", .time(acknowledgement.at, in: visit.zone))
            reported.add(
                "Event",
                .number("\(acknowledgement.position)", href: Address.event(acknowledgement.position))
            )
        }
        return Page(
            "anomaly",
            Wording.sentence(item.anomaly.kind.rawValue),
            [
                "id": .text(id.description), "state": Self.state(item.state).value,
                "explanation": .text(item.anomaly.explanation), "facts": facts.value, "acknowledgement": reported.value,
                "dealing": item.acknowledgement == nil ? dealing(with: id, visit) : nil,
            ]
        )
    }

    /// The form that acknowledges an anomaly, or the scopes that it needs.
    private func dealing(with id: UUID128, _ visit: Visit) -> PageValue {
        guard visit.may(.acknowledgeAnomalies) else {
            return .members(["scopes": .text(Permission.acknowledgeAnomalies.scopeNames)])
        }
        return .members([
            "action": .text("\(Address.anomaly(id.description))/acknowledge"),
            "token": .text(visit.token.formToken), "longest": "\(Reason.mostBytes)",
        ])
    }

    /// Acknowledges an anomaly as the API does, and shows it.
    private func acknowledge(_ visit: Visit, _ fields: FormFields) async throws -> EdgeResponse {
        guard let id = UUID128(try visit.request.parameter("id")) else { throw Problem.notFound }
        let reported = try await ledger.acknowledge(
            id,
            reason: try fields.reason(),
            idempotencyKey: nil,
            by: visit.session.principal,
            correlation: visit.request.id
        )
        // The page is made from the read model, which contains the event a moment later.
        let position = reported.acknowledgement.position
        _ = try await ledger.readModels.wait(for: "anomalies", toReach: position, timeout: ledger.waitLimit)
        return redirect(to: Address.anomaly(id.description))
    }
}
