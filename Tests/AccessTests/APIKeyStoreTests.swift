import Access
import Canonical
import DaybookTestKit
import Postgres
import Testing

struct APIKeyStoreTests {
    @Test func aKeyGivesItsTenantAndScopes() async throws {
        try await Self.withStore { store, _, _ in
            let made = try await store.create(
                tenant: "acme",
                scopes: [.read, .documents, .events, .evidence],
                mode: .live,
                name: "till",
                expiresAt: nil
            )
            let principal = try #require(try await store.principal(of: made.key.secret))
            #expect(
                principal == Principal(tenant: "acme", keyID: made.id, scopes: [.read, .documents, .events, .evidence])
            )
            #expect(principal.actor == "key:\(made.id)")
            var random = SystemRandomNumberGenerator()
            #expect(try await store.principal(of: APIKey(mode: .live, random: &random).secret) == nil)
            #expect(try await store.principal(of: "dbk_live_nonsense") == nil)
            #expect(try await store.principal(of: "") == nil)
        }
    }

    @Test func aKeyAndItsSessionsKnowTheirHolder() async throws {
        try await Self.withStore { store, url, clock in
            let made = try await store.create(
                tenant: "acme",
                scopes: [.reconcile],
                mode: .live,
                name: "browser",
                holder: "ann@acme.example",
                expiresAt: nil
            )
            let other = try await store.create(
                tenant: "acme",
                scopes: [.read],
                mode: .live,
                name: "till",
                expiresAt: nil
            )
            #expect(try await store.principal(of: made.key.secret)?.holder == "ann@acme.example")
            #expect(try await store.principal(of: other.key.secret)?.holder == nil)
            let listed = Dictionary(
                uniqueKeysWithValues: try await store.list(tenant: "acme").map { ($0.id, $0.holder) }
            )
            #expect(listed == [made.id: "ann@acme.example", other.id: nil])
            let configuration = PostgresConfiguration(connectionString: url, role: "daybook_service")
            try await PostgresPool.withPool(configuration, options: .patient) { pool in
                let sessions = SessionStore(pool: pool, clock: clock)
                let token = try #require(try await sessions.open(keyID: made.id))
                #expect(try await sessions.session(of: token)?.principal.holder == "ann@acme.example")
                let machine = try #require(try await sessions.open(keyID: other.id))
                let session = try #require(try await sessions.session(of: machine))
                #expect(session.principal.holder == nil)
            }
        }
    }

    @Test func aKeyKnowsWhatItIsBoundTo() async throws {
        try await Self.withStore { store, _, _ in
            func make(_ binding: KeyBinding) async throws -> (key: APIKey, id: String) {
                try await store.create(
                    tenant: "acme",
                    scopes: [.events],
                    mode: .live,
                    name: "till",
                    binding: binding,
                    expiresAt: nil
                )
            }
            let bindings = [
                KeyBinding(), KeyBinding(["merchant": []]), KeyBinding(["merchant": ["8846", "a=b", "=", ""]]),
                KeyBinding(["vendor": ["dejavoo"], "terminal": ["4400", "4401"]]),
            ]
            for binding in bindings {
                let made = try await make(binding)
                #expect(try await store.principal(of: made.key.secret)?.binding == binding)
                #expect(try await store.list(tenant: "acme").first { $0.id == made.id }?.binding == binding)
            }
            #expect(KeyBinding(["merchant": []]) == KeyBinding() && KeyBinding().texts.isEmpty)
            let texts = try await store.list(tenant: "acme").map(\.binding.texts)
            #expect(texts.contains(["terminal=4400", "terminal=4401", "vendor=dejavoo"]))
        }
    }

    @Test func onlyTheHashIsStored() async throws {
        try await Self.withStore { store, url, _ in
            let made = try await store.create(
                tenant: "acme",
                scopes: Set(Scope.allCases),
                mode: .test,
                name: "x",
                expiresAt: nil
            )
            let dump = try await TestDatabase.psql("SELECT k::text FROM access.api_keys k", at: url)
            #expect(dump.contains(made.id))
            #expect(!dump.contains(made.key.secret))
            #expect(!dump.contains(made.key.secret.dropFirst(9).prefix(30)))
            let hash = try await TestDatabase.psql("SELECT encode(hash, 'hex') FROM access.api_keys", at: url)
            #expect(hash == made.key.hash.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined())
        }
    }

    @Test func anExpiredKeyIsRefused() async throws {
        try await Self.withStore { store, _, clock in
            let end = clock.now().adding(microseconds: 1_000_000)
            let made = try await Self.make(store, expiresAt: end)
            #expect(try await store.principal(of: made.key.secret) != nil)
            // While the store still caches the key.
            clock.advance(microseconds: 400_000)
            #expect(try await store.principal(of: made.key.secret) != nil)
            clock.set(end)
            #expect(try await store.principal(of: made.key.secret) == nil)
            clock.advance(seconds: 3600)
            #expect(try await store.principal(of: made.key.secret) == nil)
        }
    }

    @Test func aCachedKeyIsNotAcceptedAfterItExpires() async throws {
        try await Self.withStore { store, _, clock in
            let made = try await Self.make(store, expiresAt: clock.now().adding(microseconds: 100_000))
            #expect(try await store.principal(of: made.key.secret) != nil)
            clock.advance(microseconds: 100_000)
            #expect(try await store.principal(of: made.key.secret) == nil)
        }
    }

    @Test func aRevokedKeyStopsAtOnceHereAndWithinASecondElsewhere() async throws {
        try await Self.withStore { store, url, clock in
            try await PostgresPool.withPool(
                PostgresConfiguration(connectionString: url, role: "daybook_service"),
                options: .patient
            ) {
                pool in
                let elsewhere = APIKeyStore(pool: pool, clock: clock)
                let made = try await Self.make(store)
                let other = try await Self.make(store)
                #expect(try await elsewhere.principal(of: made.key.secret) != nil)
                #expect(try await store.principal(of: made.key.secret) != nil)
                #expect(try await store.revoke(made.id))
                #expect(try await store.principal(of: made.key.secret) == nil)
                clock.advance(seconds: 1)
                #expect(try await elsewhere.principal(of: made.key.secret) == nil)
                #expect(try await store.principal(of: other.key.secret) != nil)
                #expect(try await !store.revoke(made.id))
                #expect(try await !store.revoke("nobody"))
            }
        }
    }

    /// Otherwise a clock set back would extend the half second by the same amount.
    @Test func aClockThatJumpsBackDoesNotKeepARevokedKeyAlive() async throws {
        try await Self.withStore { store, url, clock in
            try await PostgresPool.withPool(
                PostgresConfiguration(connectionString: url, role: "daybook_service"),
                options: .patient
            ) {
                pool in
                let elsewhere = APIKeyStore(pool: pool, clock: clock)
                let made = try await Self.make(store)
                #expect(try await elsewhere.principal(of: made.key.secret) != nil)
                _ = try await store.revoke(made.id)
                clock.advance(seconds: -3600)
                #expect(try await elsewhere.principal(of: made.key.secret) == nil)
            }
        }
    }

    @Test func theListShowsEverythingButTheKey() async throws {
        try await Self.withStore { store, _, clock in
            let start = clock.now()
            let first = try await store.create(
                tenant: "acme",
                scopes: [.replayApprove, .audit],
                mode: .live,
                name: "\u{e9} \"x\"",
                expiresAt: .latest
            )
            clock.advance(seconds: 1)
            let second = try await store.create(tenant: "other", scopes: [], mode: .live, name: "", expiresAt: nil)
            _ = try await store.revoke(second.id)
            let all = try await store.list(tenant: nil)
            #expect(all.map(\.id) == [first.id, second.id])
            #expect(all[0].name == "\u{e9} \"x\"")
            #expect(all[0].scopes == ["audit", "replay:approve"])
            #expect(all[0].createdAt == start)
            #expect(all[0].expiresAt == .latest)
            #expect(all[0].revokedAt == nil)
            #expect(all[1].revokedAt == clock.now())
            #expect(try await store.list(tenant: "acme").map(\.id) == [first.id])
            #expect(try await store.list(tenant: "nobody").isEmpty)
        }
    }

    @Test func aTenantWithAnInvalidNameIsNotCreated() async throws {
        try await Self.withStore { store, url, _ in
            await #expect(throws: InvalidTenant.self) {
                try await store.create(tenant: "Acme Corp", scopes: [], mode: .live, name: "", expiresAt: nil)
            }
            let count = try await TestDatabase.psql("SELECT count(*) FROM access.tenants", at: url)
            #expect(count == "0")
            // The database enforces it as well.
            await #expect(throws: TestKitError.self) {
                try await TestDatabase.psql("INSERT INTO access.tenants VALUES ('Acme', now())", at: url)
            }
        }
    }

    @Test func manyKeysOfOneNewTenantAreMadeAndReadAtOnce() async throws {
        try await Self.withStore { store, url, _ in
            let ids = try await withThrowingTaskGroup(of: String.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        let made = try await Self.make(store)
                        let principal = try await store.principal(of: made.key.secret)
                        #expect(principal?.keyID == made.id)
                        if number.isMultiple(of: 2) {
                            _ = try await store.revoke(made.id)
                            #expect(try await store.principal(of: made.key.secret) == nil)
                        }
                        return made.id
                    }
                }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(ids.count == 40)
            #expect(Set(try await store.list(tenant: "acme").map(\.id)) == ids)
            #expect(try await TestDatabase.psql("SELECT count(*) FROM access.tenants", at: url) == "1")
        }
    }

    private static func make(
        _ store: APIKeyStore,
        expiresAt: Timestamp? = nil
    ) async throws -> (key: APIKey, id: String) {
        try await store.create(tenant: "acme", scopes: [.read], mode: .live, name: "test", expiresAt: expiresAt)
    }

    private static func withStore(
        _ body: @escaping @Sendable (APIKeyStore, String, ManualClock) async throws -> Void
    ) async throws {
        try await withTestDatabase(template: .ledger) { url in
            let configuration = PostgresConfiguration(connectionString: url, role: "daybook_service")
            try await PostgresPool.withPool(configuration, options: .patient) { pool in
                let clock = ManualClock()
                try await body(APIKeyStore(pool: pool, clock: clock), url, clock)
            }
        }
    }
}
