package import Canonical
import Merkle
package import Postgres

/// The calls a writer makes to append batches to an empty log, worked out beforehand: to measure what they take of the
/// database alone.
package enum AppendCalls {
    package static var sql: String { BatchDraft.sql }

    /// The parameters of one call for each batch, to be made in order.
    ///
    /// - Throws: `PostgresError` when a value cannot be sent.
    package static func parameters(_ batches: [[AppendItem]], now: Timestamp) throws -> [EncodedParameters] {
        var tip = LogTip(position: 0, recordedAt: .earliest, edge: TileFiller())
        return try batches.compactMap { items in
            guard let draft = try BatchDraft(items, facts: LogFacts(), base: tip, now: now) else { return nil }
            tip = draft.tip
            return draft.parameters
        }
    }
}
