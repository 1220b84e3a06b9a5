import Access
import ArgumentParser
import Canonical
import Composition
import Payments
import Redaction

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create, list and revoke API keys; create the key of the log.",
        subcommands: [Create.self, List.self, Revoke.self, Log.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a key and print it once; only its digest is stored.",
            discussion: """
                Scopes: \(Scope.allCases.map(\.rawValue).joined(separator: ", ")).

                EXAMPLES
                  daybook keys create --tenant acme --scopes documents,read
                  KEY=$(daybook keys create --tenant acme --scopes read \\
                    --expires 2027-01-01T00:00:00Z)
                  daybook keys create --tenant acme --scopes read,reconcile \\
                    --holder ann@acme.example
                  daybook keys create --tenant acme --scopes events --merchant 8846 \\
                    --terminal 4400 --terminal 4401
                """
        )

        @OptionGroup var common: CommonOptions

        @Option(help: "The tenant of the key; created if it is new. a-z, 0-9, - and _.")
        var tenant: String

        @Option(help: "The scopes of the key, separated by commas.")
        var scopes: String

        @Option(help: "A name for the list of keys.")
        var name = ""

        @Option(help: "The operator to whom the key belongs. An approver must be another holder than the proposer.")
        var holder: String?

        @Option(help: "A vendor whose documents the key sends; repeatable. Default: every vendor.")
        var vendor: [String] = []

        @Option(help: "A merchant that documents and events of the key name; repeatable. Default: every merchant.")
        var merchant: [String] = []

        @Option(help: "A terminal that documents and events of the key name; repeatable. Default: every terminal.")
        var terminal: [String] = []

        @Option(help: "The time at which the key expires (RFC 3339). Default: never.")
        var expires: String?

        @Flag(help: "Create a test key (dbk_test_...).")
        var test = false

        func run() async throws {
            let scopes = try Self.scopes(scopes)
            let expiresAt = try expires.map { text in
                guard let time = Timestamp(rfc3339: text) else { throw Failure("--expires must be an RFC 3339 time.") }
                return time
            }
            guard name.utf8.count <= 100 else { throw Failure("--name must have at most 100 bytes.") }
            if let holder, !(1...200).contains(holder.utf8.count) || holder.first == " " || holder.last == " " {
                throw Failure("--holder must be a name of 1 to 200 bytes, without spaces around it.")
            }
            for name in vendor where Vendor(rawValue: name) == nil {
                let known = Vendor.allCases.map(\.rawValue).joined(separator: ", ")
                throw Failure("There is no vendor \(name).", hint: "Vendors: \(known).")
            }
            for text in merchant + terminal where !(1...128).contains(text.utf8.count) {
                throw Failure("--merchant and --terminal must have 1 to 128 bytes.")
            }
            for text in [tenant, name, holder ?? ""] + merchant + terminal where TextScrubber().scrub(text).text != text
            {
                throw Failure(
                    "--tenant, --name, --holder, --merchant and --terminal are stored unchanged and must not have card "
                        + "data or secrets."
                )
            }
            try await Session.open(common) { session in
                try await session.withLedger(for: .appending, signing: .appendingNothing) { ledger in
                    let made = try await ledger.keys.create(
                        tenant: tenant,
                        scopes: scopes,
                        mode: test ? .test : .live,
                        name: name,
                        holder: holder,
                        binding: KeyBinding([
                            "vendor": Set(vendor), "merchant": Set(merchant), "terminal": Set(terminal),
                        ]),
                        expiresAt: expiresAt
                    )
                    if common.json {
                        Terminal.say([
                            "id": .string(made.id), "key": .string(made.key.secret), "tenant": .string(tenant),
                        ])
                    } else {
                        // Standard output has only the key, for scripts. The key is printed nowhere else.
                        Terminal.say(made.key.secret)
                        Terminal.note("key \(made.id) of \(tenant); it is not shown again")
                    }
                }
            }
        }

        private static func scopes(_ text: String) throws -> Set<Scope> {
            var scopes: Set<Scope> = []
            for name in text.split(separator: ",").map({ $0.filter { $0 != " " } }) {
                guard let scope = Scope(rawValue: String(name)) else {
                    let known = Scope.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Failure("There is no scope \(name).", hint: "Scopes: \(known).")
                }
                scopes.insert(scope)
            }
            guard !scopes.isEmpty else { throw Failure("A key needs at least one scope.") }
            return scopes
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the API keys, without their secrets.")

        @OptionGroup var common: CommonOptions

        @Option(help: "Only keys of this tenant.")
        var tenant: String?

        func run() async throws {
            try await Session.open(common) { session in
                try await session.withLedger(for: .reading([])) { ledger in
                    let keys = try await ledger.keys.list(tenant: tenant)
                    if common.json { return try Terminal.say(json: keys.map(KeyJSON.init)) }
                    Terminal.table(
                        ["id", "tenant", "name", "holder", "scopes", "bound to", "created", "state"],
                        keys.map { key in
                            [
                                key.id, key.tenant, key.name, key.holder ?? "-", key.scopes.joined(separator: ","),
                                key.binding.texts.isEmpty ? "-" : key.binding.texts.joined(separator: ","),
                                key.createdAt.rfc3339, key.state(at: ledger.clock.now()),
                            ]
                        }
                    )
                }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke a key; every server refuses it within a second."
        )

        @OptionGroup var common: CommonOptions

        @Argument(help: "The key's id, from `daybook keys list`.")
        var id: String

        func run() async throws {
            try await Session.open(common) { session in
                try await session.withLedger(for: .appending, signing: .appendingNothing) { ledger in
                    guard try await ledger.keys.revoke(id) else {
                        throw Failure("There is no such key, or it is already revoked.", hint: "`daybook keys list`")
                    }
                    if common.json {
                        Terminal.say(["id": .string(id), "revoked": true])
                    } else {
                        Terminal.say("revoked")
                    }
                }
            }
        }
    }
}

extension APIKeyStore.Entry {
    fileprivate func state(at now: Timestamp) -> String {
        if revokedAt != nil { return "revoked" }
        guard let expiresAt else { return "valid" }
        return expiresAt <= now ? "expired" : "until \(expiresAt.rfc3339)"
    }
}

/// A key without its secret.
private struct KeyJSON: Encodable {
    var id: String
    var tenant: String
    var name: String
    var scopes: [String]
    /// What its documents and events must name, each as `subject=value`.
    var bound: [String]
    var createdAt: Timestamp
    var holder: String?
    var expiresAt: Timestamp?
    var revokedAt: Timestamp?

    init(_ key: APIKeyStore.Entry) {
        id = key.id
        tenant = key.tenant
        name = key.name
        scopes = key.scopes
        bound = key.binding.texts
        createdAt = key.createdAt
        holder = key.holder
        expiresAt = key.expiresAt
        revokedAt = key.revokedAt
    }
}
