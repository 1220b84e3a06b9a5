import Composition
import Payments
package import Projections
import Tables

extension Lists {
    package static let anomalies = ListDefinition<AnomalyFilter, AnomalyJSON>(
        name: "anomalies",
        summary: "Anomalies with their states, newest first.",
        paths: ["anomalies"],
        readModels: ["anomalies", "transactions", "merchants"],
        filter: AnomalyFilter.init,
        columns: { _ in
            [
                Column("id", "id"), Column("position", "position"), Column("state", "state"), Column("kind", "kind"),
                Column("explanation", "explanation"), Column("related", "related", as: .json),
                Column("stream", "stream"), Column("transaction", "transaction"), Column("batch", "batch"),
                Column("vendor", "vendor"), Column("merchant", "merchant"), Column("terminal", "terminal"),
                Column("occurred_at", "occurredAt"), Column("recorded_at", "recordedAt"),
                Column("acknowledged_by", "acknowledgement", "by"), Column("acknowledged_at", "acknowledgement", "at"),
                Column("reason", "acknowledgement", "reason"), Column("cleared_position", "clearedPosition"),
            ]
        },
        shown: "position,state,kind,vendor,merchant,occurred_at,explanation"
    ) { query, ledger in
        let found = try await ledger.payments.anomalies.anomalies(
            of: query.tenant,
            matching: query.filter,
            before: query.before,
            limit: query.limit + 1
        )
        return Page(found, query.limit) {
            AnomalyJSON($0)
        } cursor: {
            Cursor(position: $0.position)
        }
    }
}

extension AnomalyFilter {
    package init(_ query: inout ParameterReader) throws(Refusal) {
        self.init()
        kind = try query.choice("kind", of: Anomaly.Kind.self)
        state = try query.choice("state", of: AnomalyView.State.self)
        vendor = try query.choice("vendor", of: Vendor.self)
        merchant = try query.text("merchant")
        isTest = try query.flag("test")
        occurredFrom = try query.time("from")
        occurredBefore = try query.time("to")
    }
}
