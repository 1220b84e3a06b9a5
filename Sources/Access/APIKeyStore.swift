package import Canonical
package import Postgres
import Synchronization

/// The tenants' API keys.
///
/// A key found valid is cached for half a second, so a revocation takes effect everywhere within a second.
package final class APIKeyStore: Sendable {
    /// One key as listed; the secret is no longer known.
    package struct Entry: Sendable, Hashable {
        package var id: String
        package var tenant: String
        package var name: String
        /// The holder of the key; nil if none was recorded.
        package var holder: String?
        package var scopes: [String]
        package var binding: KeyBinding
        package var createdAt: Timestamp
        package var expiresAt: Timestamp?
        package var revokedAt: Timestamp?
    }

    private struct CachedKey {
        var principal: Principal
        var expiresAt: Timestamp?
        var since: Timestamp

        /// False after a clock was set back, too: otherwise the cached key would last too long.
        func isFresh(at now: Timestamp) -> Bool {
            since <= now && now < since.adding(microseconds: APIKeyStore.cachedKeyMicroseconds)
        }
    }

    private static let cachedKeyMicroseconds: Int64 = 500_000
    /// Bounds the memory an attacker with many valid keys could use; far above any real number of keys in use.
    private static let maxCachedKeys = 10_000

    private let pool: PostgresPool
    private let clock: any WallClock
    private let cachedKeys = Mutex<[[UInt8]: CachedKey]>([:])

    package init(pool: PostgresPool, clock: any WallClock) {
        self.pool = pool
        self.clock = clock
    }

    /// The principal of a key; nil when the key is malformed, unknown, expired or revoked.
    package func principal(of presented: String) async throws -> Principal? {
        guard presented.utf8.count <= APIKey.greatestLength else { return nil }
        let hash = APIKey.hash(presented)
        let now = clock.now()
        if let cachedKey = cachedKeys.withLock({ $0[hash] }), cachedKey.isFresh(at: now) {
            return cachedKey.expiresAt.map { $0 > now } ?? true ? cachedKey.principal : nil
        }
        // Only the hashes of keys are cached, so a text with a cached hash is a key.
        guard APIKey(presented) != nil else { return nil }
        let rows = try await pool.query(
            "SELECT id, tenant, scopes, hash, expires_at, holder, bound FROM access.find_key($1)",
            [.bytea(hash)]
        )
        guard let row = rows.first, isEqualInConstantTime(try row.bytes(3), hash) else {
            cachedKeys.withLock { _ = $0.removeValue(forKey: hash) }
            return nil
        }
        let expiresAt = try row.timestampOrNull(4)
        if let expiresAt, expiresAt <= now { return nil }
        let principal = Principal(
            tenant: try row.text(1),
            keyID: try row.text(0),
            scopes: Set(try row.array(2, of: String.self).compactMap { $0.flatMap(Scope.init(rawValue:)) }),
            holder: try row.textOrNull(5),
            binding: KeyBinding(texts: try row.array(6, of: String.self).compactMap(\.self))
        )
        cachedKeys.withLock { cachedKeys in
            if cachedKeys.count >= Self.maxCachedKeys { cachedKeys.removeAll() }
            cachedKeys[hash] = CachedKey(principal: principal, expiresAt: expiresAt, since: now)
        }
        return principal
    }

    /// Makes a key, and the tenant if it is new.
    ///
    /// - Parameters:
    ///   - holder: The holder of the key, 1 to 200 bytes, so that a command that needs two operators does not accept
    ///     two keys of one holder. Nil for a machine, or if unknown.
    ///   - binding: What the documents and events of the key must name.
    /// - Returns: The key, to be shown once, and the id under which it is listed.
    /// - Throws: `InvalidTenant` for a tenant id that is not 1 to 63 of a-z, 0-9, `-` and `_`, beginning with a letter
    ///   or digit; `PostgresError`.
    package func create(
        tenant: String,
        scopes: Set<Scope>,
        mode: APIKey.Mode,
        name: String,
        holder: String? = nil,
        binding: KeyBinding = KeyBinding(),
        expiresAt: Timestamp?
    ) async throws -> (key: APIKey, id: String) {
        try InvalidTenant.check(tenant)
        var random = SystemRandomNumberGenerator()
        let key = APIKey(mode: mode, random: &random)
        let id = UUID128.v7(at: clock.now(), random: &random).description
        let now = clock.now()
        try await pool.withTransaction { transaction in
            _ = try await transaction.execute(
                "INSERT INTO access.tenants (id, created_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING",
                [.text(tenant), .timestamptz(now)]
            )
            _ = try await transaction.execute(
                """
                INSERT INTO access.api_keys (id, tenant, hash, scopes, name, created_at, expires_at, holder, bound)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
                """,
                [
                    .text(id), .text(tenant), .bytea(key.hash), .textArray(scopes.map(\.rawValue).sorted()),
                    .text(name), .timestamptz(now), expiresAt.map(PostgresValue.timestamptz) ?? .null,
                    holder.map(PostgresValue.text) ?? .null, .textArray(binding.texts),
                ]
            )
        }
        return (key, id)
    }

    /// Revokes a key.
    ///
    /// - Returns: False when there is no such key, or it was already revoked.
    package func revoke(_ id: String) async throws -> Bool {
        let count = try await pool.execute(
            "UPDATE access.api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL",
            [.text(id), .timestamptz(clock.now())]
        )
        cachedKeys.withLock { $0 = $0.filter { $0.value.principal.keyID != id } }
        return count == 1
    }

    /// The holder of a key by its name in events, also of a key that is no longer valid; nil if it is not known.
    ///
    /// - Throws: `PostgresError`.
    package func holder(ofActor actor: String, tenant: String) async throws -> String? {
        guard actor.hasPrefix(Principal.actorPrefix) else { return nil }
        return try await pool.query(
            "SELECT holder FROM access.api_keys WHERE id = $1 AND tenant = $2",
            [.text(String(actor.dropFirst(Principal.actorPrefix.count))), .text(tenant)]
        ).first?.textOrNull(0)
    }

    /// Every tenant, in order.
    package func tenants() async throws -> [String] {
        try await pool.query("SELECT id FROM access.tenants ORDER BY id", []).map { try $0.text(0) }
    }

    /// Every key, oldest first; only those of `tenant` if it is given.
    package func list(tenant: String?) async throws -> [Entry] {
        let rows = try await pool.query(
            """
            SELECT id, tenant, name, scopes, created_at, expires_at, revoked_at, holder, bound FROM access.api_keys
            WHERE $1::text IS NULL OR tenant = $1 ORDER BY created_at, id
            """,
            [tenant.map(PostgresValue.text) ?? .null]
        )
        return try rows.map { row in
            Entry(
                id: try row.text(0),
                tenant: try row.text(1),
                name: try row.text(2),
                holder: try row.textOrNull(7),
                scopes: try row.array(3, of: String.self).compactMap { $0 },
                binding: KeyBinding(texts: try row.array(8, of: String.self).compactMap(\.self)),
                createdAt: try row.timestamp(4),
                expiresAt: try row.timestampOrNull(5),
                revokedAt: try row.timestampOrNull(6)
            )
        }
    }
}

/// A tenant id with an invalid form.
package struct InvalidTenant: Error, Hashable {
    /// - Throws: `InvalidTenant` unless `id` is 1 to 63 of a-z, 0-9, `-` and `_`, beginning with a letter or digit.
    package static func check(_ id: String) throws(InvalidTenant) {
        let bytes = Array(id.utf8)
        let isPlain: (UInt8) -> Bool = { ($0 >= 0x61 && $0 <= 0x7A) || ($0 >= 0x30 && $0 <= 0x39) }
        guard let first = bytes.first, isPlain(first), bytes.count <= 63,
            bytes.allSatisfy({ isPlain($0) || $0 == 0x2D || $0 == 0x5F })
        else { throw InvalidTenant() }
    }
}
