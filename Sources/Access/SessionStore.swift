package import Canonical
import Crypto
package import Postgres

/// The sessions of browsers that have presented a key once.
///
/// They are in the database, so that every server knows them, and every use checks whether the key is still valid:
/// revoking a key ends its sessions at once.
package struct SessionStore: Sendable {
    /// The permissions of a session.
    package struct Session: Sendable, Hashable {
        package var principal: Principal
        /// The key's name in lists; may be empty.
        package var keyName: String
        /// When the session ends, even if it is in use.
        package var expiresAt: Timestamp
    }

    /// The longest duration of a session, in microseconds: 12 hours.
    package static let spanMicroseconds: Int64 = 12 * 3600 * 1_000_000
    /// How long a session may be unused, in microseconds: 30 minutes.
    package static let idleMicroseconds: Int64 = 30 * 60 * 1_000_000

    private let pool: PostgresPool
    private let clock: any WallClock

    package init(pool: PostgresPool, clock: any WallClock) {
        self.pool = pool
        self.clock = clock
    }

    /// Opens a session for a key that was just presented.
    ///
    /// - Returns: The token for the browser; nil when the key is no longer valid.
    /// - Throws: `PostgresError`.
    package func open(keyID: String) async throws -> SessionToken? {
        var random = SystemRandomNumberGenerator()
        let token = SessionToken(random: &random)
        let now = clock.now()
        let rows = try await pool.query(
            "SELECT access.open_session($1, $2, $3, $4, $5)",
            [
                .bytea(token.hash), .text(keyID), .timestamptz(now), .timestamptz(idleSince(now)),
                .timestamptz(now.adding(microseconds: Self.spanMicroseconds)),
            ]
        )
        return try rows.first?.bool(0) == true ? token : nil
    }

    /// The session of a token; nil when it is unknown, over, idle for too long, or its key is no longer valid.
    ///
    /// - Parameter isUse: Whether a user is active at the browser, which keeps the session from becoming idle.
    /// - Throws: `PostgresError`.
    package func session(of token: SessionToken, isUse: Bool = true) async throws -> Session? {
        let now = clock.now()
        let hash = token.hash
        let rows = try await pool.query(
            "SELECT key_id, tenant, scopes, name, token_hash, expires_at, holder FROM access.find_session($1, $2, $3, $4)",
            [.bytea(hash), .timestamptz(now), .timestamptz(idleSince(now)), .bool(isUse)]
        )
        guard let row = rows.first, isEqualInConstantTime(try row.bytes(4), hash) else { return nil }
        let scopes = try row.array(2, of: String.self).compactMap { $0.flatMap(Scope.init(rawValue:)) }
        return Session(
            principal: Principal(
                tenant: try row.text(1),
                keyID: try row.text(0),
                scopes: Set(scopes),
                holder: try row.textOrNull(6)
            ),
            keyName: try row.text(3),
            expiresAt: try row.timestamp(5)
        )
    }

    /// Ends a session.
    ///
    /// - Throws: `PostgresError`.
    package func close(_ token: SessionToken) async throws {
        _ = try await pool.query("SELECT access.close_session($1)", [.bytea(token.hash)])
    }

    private func idleSince(_ now: Timestamp) -> Timestamp { now.adding(microseconds: -Self.idleMicroseconds) }
}

/// The token that a browser keeps: 256 random bits. Never stored, never logged.
package struct SessionToken: Sendable {
    private static let digitCount = 64

    /// 64 hexadecimal digits.
    package let secret: String

    package init(random: inout some RandomNumberGenerator) {
        let bytes = (0..<Self.digitCount / 2).map { _ in UInt8.random(in: 0...255, using: &random) }
        secret = Self.hexadecimal(bytes)
    }

    /// Reads a token as a browser presents it; nil when the text cannot be a token.
    package init?(_ text: String) {
        let digits = text.utf8
        guard digits.count == Self.digitCount,
            digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return nil }
        secret = text
    }

    /// SHA-256 of the token: the only part that is stored.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array(secret.utf8))) }

    /// The token in every form of the session, so that no other site can submit one: it is derived from the session
    /// token, which only the browser and its requests have.
    package var formToken: String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("daybook console form".utf8),
            using: SymmetricKey(data: Array(secret.utf8))
        )
        return Self.hexadecimal(Array(code))
    }

    /// Whether a form has this session's form token.
    package func accepts(_ presented: String) -> Bool {
        isEqualInConstantTime(Array(presented.utf8), Array(formToken.utf8))
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = bytes.flatMap { byte in
            [HexadecimalDigits.lowercase(byte >> 4), HexadecimalDigits.lowercase(byte & 0xF)]
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
