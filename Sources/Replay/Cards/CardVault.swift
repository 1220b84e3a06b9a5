package import Canonical
import Crypto
package import Gateways
package import Postgres
import Vendors

/// What stands for the cards of payments at their gateways, sealed, outside of the log, for a time.
///
/// Whoever has a token and the merchant's credentials can charge the card, so it is in no event and no answer.
package struct CardVault: Sendable {
    /// Why a token is not kept.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        /// No key is configured to seal it with.
        case noVault = "no-vault"
        /// It is, or may be, the number of a card.
        case cardNumber = "card-number"
        /// It is empty or too long, or has other than printable ASCII characters.
        case malformed = "malformed-token"
    }

    /// How long a token is kept.
    package static let keptSeconds: Int64 = 30 * 86_400
    /// The longest token, in bytes.
    package static let longest = 512

    let pool: PostgresPool
    private let key: SymmetricKey?
    private let clock: any WallClock

    /// - Parameter key: 32 bytes; nil where none is configured.
    package init(pool: PostgresPool, key: [UInt8]?, clock: any WallClock) {
        self.pool = pool
        self.key = key.map { SymmetricKey(data: $0) }
        self.clock = clock
    }

    /// Keeps the token of a payment's card, in the place of one that was kept before.
    ///
    /// - Returns: Until when it is kept.
    /// - Throws: `Refusal`, `PostgresError`.
    package func keep(_ token: String, of transaction: UUID128, tenant: String) async throws -> Timestamp {
        guard let key else { throw Refusal.noVault }
        guard (1...Self.longest).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Refusal.malformed }
        // No card number has fewer than 12 digits or more than 19 (ISO/IEC 7812-1), whatever stands between them.
        let digits = token.utf8.count { (0x30...0x39).contains($0) }
        let hasLetters = token.utf8.contains { (0x41...0x5A).contains($0 & 0xDF) }
        guard hasLetters || !(12...19).contains(digits), TextScrubber().scrub(token).text == token else {
            throw Refusal.cardNumber
        }
        let box = try AES.GCM.seal(
            Array(token.utf8),
            using: key,
            authenticating: Self.name(transaction, tenant)
        )
        guard let sealed = box.combined else { throw Refusal.noVault }
        let until = clock.now().adding(microseconds: Self.keptSeconds * 1_000_000)
        try await pool.execute(
            """
            INSERT INTO replay.card_tokens (tenant, transaction, sealed, kept_until) VALUES ($1, $2, $3, $4)
            ON CONFLICT (tenant, transaction) DO UPDATE SET sealed = excluded.sealed, kept_until = excluded.kept_until
            """,
            [.text(tenant), .uuid(transaction), .bytea(Array(sealed)), .timestamptz(until)]
        )
        return until
    }

    /// Forgets the token of a payment's card.
    package func forget(_ transaction: UUID128, tenant: String) async throws {
        try await pool.execute(
            "DELETE FROM replay.card_tokens WHERE tenant = $1 AND transaction = $2",
            [.text(tenant), .uuid(transaction)]
        )
    }

    /// What stands for the card; nil where there is nothing, or nothing that this key opens.
    package func token(of transaction: UUID128, tenant: String) async throws -> Secret? {
        guard let key else { return nil }
        let rows = try await pool.query(
            "SELECT sealed FROM replay.card_tokens WHERE tenant = $1 AND transaction = $2 AND kept_until > $3",
            [.text(tenant), .uuid(transaction), .timestamptz(clock.now())]
        )
        guard let sealed = try rows.first?.bytes(0), let box = try? AES.GCM.SealedBox(combined: sealed),
            let opened = try? AES.GCM.open(box, using: key, authenticating: Self.name(transaction, tenant))
        else { return nil }
        return Secret(String(decoding: opened, as: UTF8.self))
    }

    /// Those of the payments that something stands for the card of.
    package func held(_ transactions: [UUID128], tenant: String) async throws -> Set<UUID128> {
        guard key != nil, !transactions.isEmpty else { return [] }
        let rows = try await pool.query(
            """
            SELECT transaction FROM replay.card_tokens
            WHERE tenant = $1 AND transaction = ANY ($2::uuid[]) AND kept_until > $3
            """,
            [.text(tenant), .uuidArray(transactions), .timestamptz(clock.now())]
        )
        return Set(try rows.map { try $0.uuid(0) })
    }

    /// Forgets what has been kept long enough.
    package func purge() async throws {
        try await pool.execute("DELETE FROM replay.card_tokens WHERE kept_until <= $1", [.timestamptz(clock.now())])
    }

    /// What a sealed token is bound to.
    private static func name(_ transaction: UUID128, _ tenant: String) -> [UInt8] {
        Array("\(tenant)\u{0}\(transaction.text)".utf8)
    }
}
