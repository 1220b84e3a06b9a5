import Testing

/// Targets that must not reach others, directly or through their dependencies.
enum ForbiddenTargets {
    struct Ban {
        let targets: Set<String>
        let never: Set<String>
        let reason: String
    }

    static let pure: Set = [
        "Canonical", "EMV", "Gateways", "Matching", "Merkle", "Payments", "Redaction", "ReplayRules", "Simulator",
        "Statements", "Tables", "Vendors", "XML",
    ]
    static let storage: Set = ["CLibPQ", "EventLog", "Postgres", "PostgresCluster"]
    static let edges: Set = ["Console", "DaybookAPI", "HTTPEdge", "daybook"]
    static let network: Set = [
        "AsyncHTTPClient", "HTTPTypes", "HummingbirdCore", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Subprocess",
    ]
    static let terminal: Set = ["ArgumentParser"]
    /// Targets that know payments.
    static let payments: Set = [
        "Gateways", "Intake", "Composition", "Journal", "Matching", "Payments", "Projections", "Reconciliation",
        "Replay", "ReplayRules",
        "Simulator", "Statements", "Vendors",
    ]
    static let capabilities: Set = [
        "Access", "Audit", "Intake", "Composition", "Journal", "Operations", "Projections", "Reconciliation", "Replay",
    ]

    static let bans = [
        Ban(
            targets: pure,
            never: storage.union(edges).union(capabilities),
            reason: "a pure target reaches no storage, no log and no edge"
        ),
        Ban(
            targets: pure.subtracting(["Gateways"]),
            never: network.union(terminal),
            reason: "a pure target does no I/O"
        ),
        Ban(
            targets: ["Simulator", "GatewayStandIn"],
            never: storage.union(edges).union(capabilities).union(["Gateways"]),
            reason: "a simulated world reaches pure targets only, none of the code that it tests"
        ),
        Ban(
            targets: ["Access", "EventLog", "HTTPEdge", "Merkle", "Postgres", "PostgresCluster"],
            never: payments,
            reason: "it knows no payment word"
        ),
        Ban(
            targets: ["EventLog", "Postgres", "PostgresCluster"],
            never: edges.union(capabilities),
            reason: "storage lies below"
        ),
        Ban(targets: ["HTTPEdge"], never: storage.union(capabilities), reason: "the server knows no ledger"),
        Ban(
            targets: capabilities,
            never: edges.union(terminal).union(["HTTPTypes", "HummingbirdCore"]),
            reason: "capabilities and operations know no HTTP server and no terminal"
        ),
        Ban(
            targets: ["WitnessService"],
            never: storage.union(capabilities).union(payments).union(["Console", "DaybookAPI", "daybook"]),
            reason: "a witness knows no ledger"
        ),
        Ban(
            targets: ["DaybookAPI"],
            never: terminal.union(["Console", "daybook"]),
            reason: "the API knows no other edge"
        ),
        Ban(targets: ["Console"], never: terminal.union(["daybook"]), reason: "the console knows no command line"),
    ]

    /// libpq is called by `Postgres`. The benchmark calls it to measure what PostgreSQL does without the driver.
    static let callersOfLibPQ: Set = ["Postgres", "daybook-bench"]

    static func findings(in repository: Repository) -> [Finding] {
        let manifest = repository.manifest
        let found = bans.flatMap { ban in
            manifest.targets.filter { ban.targets.contains($0.name) }.flatMap { target in
                manifest.reach(of: target.name).intersection(ban.never).sorted().map { name in
                    Finding("Package.swift", manifest.line(of: target), "\(target.name) reaches \(name): \(ban.reason)")
                }
            }
        }
        return found
            + manifest.targets.filter { !callersOfLibPQ.contains($0.name) && $0.dependencies.contains("CLibPQ") }
            .map {
                Finding("Package.swift", manifest.line(of: $0), "\($0.name) declares CLibPQ: only Postgres calls libpq")
            }
    }

    /// Names in the table that are neither a target nor a product any more.
    static func unknownNames(in manifest: Manifest) -> Set<String> {
        let known = Set(manifest.targets.flatMap { [$0.name] + $0.dependencies })
        return Set(bans.flatMap { $0.targets.union($0.never) }).union(callersOfLibPQ).subtracting(known)
    }
}

@Suite struct ForbiddenTargetsTests {
    @Test func noTargetReachesAForbiddenOne() async throws {
        let repository = try await Repository.ours()
        expectNone(ForbiddenTargets.findings(in: repository))
        #expect(ForbiddenTargets.unknownNames(in: repository.manifest) == [])
    }

    @Test func findsAPureTargetThatReachesStorage() {
        let manifest = Manifest(
            [
                .init(name: "CLibPQ", kind: .system, folder: "Sources/CLibPQ", dependencies: []),
                .init(name: "Postgres", kind: .regular, folder: "Sources/Postgres", dependencies: ["CLibPQ"]),
                .init(name: "Shared", kind: .regular, folder: "Sources/Shared", dependencies: ["Postgres"]),
                .init(name: "Matching", kind: .regular, folder: "Sources/Matching", dependencies: ["Shared"]),
            ],
            packageSwift: "targets: [\n\n\n.ours(\"Shared\"),\n.ours(\"Matching\")"
        )
        let reason = "a pure target reaches no storage, no log and no edge"
        #expect(
            ForbiddenTargets.findings(in: Repository([:], manifest: manifest)) == [
                Finding("Package.swift", 5, "Matching reaches CLibPQ: \(reason)"),
                Finding("Package.swift", 5, "Matching reaches Postgres: \(reason)"),
            ]
        )
    }

    @Test func findsACallerOfLibPQ() {
        let manifest = Manifest([
            .init(name: "Audit", kind: .regular, folder: "Sources/Audit", dependencies: ["CLibPQ"])
        ])
        #expect(
            ForbiddenTargets.findings(in: Repository([:], manifest: manifest))
                == [Finding("Package.swift", 1, "Audit declares CLibPQ: only Postgres calls libpq")]
        )
    }
}
