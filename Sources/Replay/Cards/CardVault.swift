package import Canonical
import Crypto
package import Gateways
package import Postgres
import Redaction

/// The tokens of payment cards at their gateways, encrypted, outside of the log, for a limited time.
///
/// A token together with the merchant's credentials can charge the card, so no event and no response contains it.
package struct CardVault: Sendable {
    /// The reason why a token is not stored.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        /// No encryption key is configured.
        case noVault = "no-vault"
        /// It is, or may be, a card number.
        case cardNumber = "card-number"
        /// It is empty, too long, or contains other characters than printable ASCII.
        case malformed = "malformed-token"
        /// It is not the token of the proposal.
        case otherToken = "other-token"
    }

    /// The retention of a token: 30 days.
    package static let keptSeconds: Int64 = 30 * 86_400
    /// The longest token, in bytes.
    package static let longest = 512

    let pool: PostgresPool
    private let key: SymmetricKey?
    /// A second key, derived from the encryption key.
    private let digestKey: SymmetricKey?
    private let clock: any WallClock

    /// - Parameter key: 32 bytes; nil when none is configured.
    package init(pool: PostgresPool, key: [UInt8]?, clock: any WallClock) {
        self.pool = pool
        self.key = key.map { SymmetricKey(data: $0) }
        digestKey = key.map {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: SymmetricKey(data: $0),
                info: Array("daybook card token digest".utf8),
                outputByteCount: 32
            )
        }
        self.clock = clock
    }

    /// Stores the token of a payment's card, replacing an earlier one.
    ///
    /// - Returns: The end of the retention.
    /// - Throws: `Refusal`, `PostgresError`.
    package func keep(_ token: String, of transaction: UUID128, tenant: String) async throws -> Timestamp {
        guard let key else { throw Refusal.noVault }
        try Self.check(token)
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

    /// A digest that distinguishes the tokens of a payment and reveals nothing about them without the key.
    ///
    /// - Throws: `Refusal` for a token that would not be stored.
    package func digest(_ token: String, of transaction: UUID128, tenant: String) throws(Refusal) -> String {
        guard let digestKey else { throw .noVault }
        try Self.check(token)
        return Self.digest(Array(token.utf8), Self.name(transaction, tenant), digestKey)
    }

    private static func digest(_ token: [UInt8], _ name: [UInt8], _ key: SymmetricKey) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: name + [0] + token, using: key)
        return "hmac-sha256:" + code.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    }

    private static func check(_ token: String) throws(Refusal) {
        guard (1...Self.longest).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw Refusal.malformed }
        // Card numbers have 12 to 19 digits (ISO/IEC 7812-1), with any separators between them.
        let digits = token.utf8.count { (0x30...0x39).contains($0) }
        let hasLetters = token.utf8.contains { (0x41...0x5A).contains($0 & 0xDF) }
        guard hasLetters || !(12...19).contains(digits), TextScrubber().scrub(token).text == token else {
            throw Refusal.cardNumber
        }
    }

    /// A stored token and its digest.
    package struct Held: Sendable {
        package var token: Secret
        package var digest: String
    }

    /// The card's token; nil when there is none, or none that this key decrypts.
    package func token(of transaction: UUID128, tenant: String) async throws -> Held? {
        guard let found = try await opened([transaction], tenant: tenant)[transaction] else { return nil }
        return Secret(String(decoding: found.token, as: UTF8.self)).map { Held(token: $0, digest: found.digest) }
    }

    /// The digests of the payments' tokens; without payments that have none.
    package func held(_ transactions: [UUID128], tenant: String) async throws -> [UUID128: String] {
        try await opened(transactions, tenant: tenant).mapValues(\.digest)
    }

    private func opened(
        _ transactions: [UUID128],
        tenant: String
    ) async throws -> [UUID128: (token: [UInt8], digest: String)] {
        guard let key, let digestKey, !transactions.isEmpty else { return [:] }
        let rows = try await pool.query(
            """
            SELECT transaction, sealed FROM replay.card_tokens
            WHERE tenant = $1 AND transaction = ANY ($2::uuid[]) AND kept_until > $3
            """,
            [.text(tenant), .uuidArray(transactions), .timestamptz(clock.now())]
        )
        var found: [UUID128: (token: [UInt8], digest: String)] = [:]
        for row in rows {
            let transaction = try row.uuid(0)
            let name = Self.name(transaction, tenant)
            guard let box = try? AES.GCM.SealedBox(combined: try row.bytes(1)),
                let opened = try? AES.GCM.open(box, using: key, authenticating: name)
            else { continue }
            let token = Array(opened)
            found[transaction] = (token, Self.digest(token, name, digestKey))
        }
        return found
    }

    /// Deletes tokens after their retention.
    package func purge() async throws {
        try await pool.execute("DELETE FROM replay.card_tokens WHERE kept_until <= $1", [.timestamptz(clock.now())])
    }

    /// The authenticated data that binds an encrypted token to its payment.
    private static func name(_ transaction: UUID128, _ tenant: String) -> [UInt8] {
        Array("\(tenant)\u{0}\(transaction.text)".utf8)
    }
}
