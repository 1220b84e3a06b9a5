package import Canonical
import Merkle
package import Postgres

/// The calls a writer makes to append batches to an empty log, computed in advance. Used to measure the database's
/// share of the cost.
package enum AppendCalls {
    package static var sql: String { BatchDraft.sql }

    /// Session settings for these calls. Statements are planned once, and every lookup uses an index: planning again
    /// for each batch takes longer than a small batch itself, and a plan made while the log was small must still work
    /// when it is large.
    package static let planning = """
        SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_hashjoin = off;
        SET enable_mergejoin = off; SET jit = off
        """

    /// The parameters of one call per batch, to be made in this order.
    ///
    /// - Throws: `PostgresError` when a value cannot be sent.
    package static func parameters(_ batches: [[AppendItem]], now: Timestamp) throws -> [EncodedParameters] {
        var tip = LogTip(epoch: 0, position: 0, recordedAt: .earliest, edge: TileFiller())
        return try batches.compactMap { items in
            guard let draft = try BatchDraft(items, facts: LogFacts(), base: tip, now: now) else { return nil }
            tip = draft.tip
            return draft.parameters
        }
    }
}
