package import Postgres

/// One read model: its own tables, filled from the log in order.
///
/// The tables are in the PostgreSQL schema `read_<name>`. While the model is rebuilt, a second set is in
/// `read_<name>_rebuild`. SQL names tables without a schema: the runner sets the search path.
package protocol Projection: Sendable {
    /// The name of the read model in the API, the command line and the database.
    var name: String { get }
    /// The version of the model's rules. A newer version makes the runner rebuild.
    var version: Int { get }
    /// Creates the tables in the current schema.
    var definition: String { get }
    /// The model's tables. Two builds of the model must produce the same rows in them.
    var contents: [ProjectionTable] { get }
    /// The secondary indexes that `apply` needs for lookups. A rebuild creates the other indexes after the rows.
    var neededIndexes: Set<String> { get }
    /// Applies a run of the log that directly follows the runs applied before.
    ///
    /// The rows must be the same however the log is cut into runs.
    ///
    /// - Throws: An error about reading an event, or a `PostgresError` about its values, halts this projection. Any
    ///   other `PostgresError` is retried.
    func apply(_ run: LogRun, in transaction: borrowing PostgresTransaction) async throws
}

/// A table of a read model, and the columns of its primary key.
package struct ProjectionTable: Sendable, Hashable {
    package let name: String
    package let key: [String]

    package init(_ name: String, key: [String]) {
        self.name = name
        self.key = key
    }
}

extension Projection {
    package var neededIndexes: Set<String> { [] }
    /// The schema that readers use.
    package var liveSchema: String { "read_\(name)" }
    var rebuildSchema: String { "read_\(name)_rebuild" }
    /// The schema of replaced tables, kept after a swap until their last readers end.
    var retiredSchema: String { "read_\(name)_retired" }
}
