package import Postgres

/// The database roles of a ledger's sessions. The schema's migrations create them for the whole server; logins are
/// members of them.
package enum DatabaseRole: String, Sendable, CaseIterable {
    /// Owns every table of the ledger, but cannot change recorded rows.
    case owner = "daybook_owner"
    /// Appends, maintains the read models, has access to the keys.
    case service = "daybook_service"
    /// Reads the log and the read models; has no access to keys.
    case reader = "daybook_reader"
    /// Reads the log, and removes archived partitions from it.
    case archiver = "daybook_archiver"
}

extension PostgresConfiguration {
    /// The same configuration with sessions that act as `role`; with nil, as the login role.
    package func acting(as role: DatabaseRole?) -> PostgresConfiguration {
        var configuration = self
        configuration.role = role?.rawValue
        return configuration
    }
}
