package import Postgres

/// The roles a ledger's sessions act as. Made by the schema's migrations, for the whole server; logins are members.
package enum DatabaseRole: String, Sendable, CaseIterable {
    /// Owns every table of the ledger, and still cannot change what is recorded.
    case owner = "daybook_owner"
    /// Appends, keeps the read models, knows the keys.
    case service = "daybook_service"
    /// Reads the log and the read models; knows nothing of keys.
    case reader = "daybook_reader"
    /// Reads the log, and takes partitions out of it that are archived.
    case archiver = "daybook_archiver"
}

extension PostgresConfiguration {
    /// The same, with sessions that act as `role`; nil for the login itself.
    package func acting(as role: DatabaseRole?) -> PostgresConfiguration {
        var configuration = self
        configuration.role = role?.rawValue
        return configuration
    }
}
