import Canonical
import Composition
import Reconciliation
import Tables

extension Lists {
    package static let reconciliations = ListDefinition<Void, RunJSON>(
        name: "reconciliations",
        summary: "Runs of the reconciliation, newest first.",
        paths: ["reconciliations"],
        readModels: ["reconciliation"],
        isAvailableInThePast: true,
        filter: { _ throws(Refusal) in },
        columns: { _ in runColumns },
        shown: "id,status,covers,began_at,began_by,completed_at,matched,unmatched,raised,cleared"
    ) { query, ledger in
        let found = try await ledger.reconciliation.reconciler.runs(
            of: query.tenant,
            at: query.position,
            before: query.before,
            limit: query.limit + 1
        )
        return try Page(found, query.limit) {
            try RunJSON($0)
        } cursor: {
            Cursor(position: $0.position)
        }
    }

    private static let runColumns = [
        Column("id", "id"), Column("status", "status"), Column("position", "position"), Column("covers", "covers"),
        Column("since", "since"), Column("horizon", "horizon"), Column("began_at", "beganAt"),
        Column("began_by", "beganBy"), Column("completed_position", "completedPosition"),
        Column("completed_at", "completedAt"), Column("matched", "matched"), Column("unmatched", "unmatched"),
        Column("raised", "raised"), Column("cleared", "cleared"), Column("deposits_matched", "depositsMatched"),
        Column("deposits_unmatched", "depositsUnmatched"), Column("posted", "posted"), Column("unposted", "unposted"),
        Column("failed_position", "failedPosition"),
        Column("failed_at", "failedAt"), Column("failure", "failure"), Column("rules", "rules"),
    ]
}
