package import Postgres

/// One read model: tables of its own, filled from the log in order.
///
/// The tables live in the PostgreSQL schema `read_<name>`; while the model is rebuilt, a second set lives in
/// `read_<name>_rebuild`. SQL names tables without a schema: the runner sets the search path.
package protocol Projection: Sendable {
    /// What the read model is called in the API, the command line and the database.
    var name: String { get }
    /// The version of its rules. A change makes the runner rebuild.
    var version: Int { get }
    /// Creates the tables in the current schema.
    var definition: String { get }
    /// Its tables. Together their rows are what two builds of the model must agree on.
    var contents: [ProjectionTable] { get }
    /// The secondary indexes by which `apply` looks rows up; a rebuild makes the others when the rows are there.
    var neededIndexes: Set<String> { get }
    /// Adds a run of the log, which follows directly on what was added before.
    ///
    /// However the log is cut into runs, the rows must come out the same.
    ///
    /// - Throws: What an event cannot be read for, and a `PostgresError` about its values, halts this projection; any
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
    /// The schema readers use.
    package var liveSchema: String { "read_\(name)" }
    var rebuildSchema: String { "read_\(name)_rebuild" }
    /// Where the tables wait, after a swap, for their last readers to end.
    var retiredSchema: String { "read_\(name)_retired" }
}
