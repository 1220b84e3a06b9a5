// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] =
    [.swiftLanguageMode(.v6)]
    + ["ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault"].map { .enableUpcomingFeature($0) }
    + [.treatAllWarnings(as: .error)]

/// Optimising tests takes longer than they run.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

extension Target {
    /// A target of this package, with the shared language settings.
    ///
    /// - Parameters:
    ///   - embedsFiles: Its files that are not Swift are members of its `EmbeddedFiles`.
    ///   - isOptimized: It is optimised in debug builds as well, because tests spend most of their time in it.
    static func ours(
        _ name: String,
        _ dependencies: [Dependency],
        at path: String? = nil,
        embedsFiles: Bool = false,
        isOptimized: Bool = false
    ) -> Target {
        .target(
            name: name,
            dependencies: dependencies,
            path: path,
            swiftSettings: strict + (isOptimized ? [.unsafeFlags(["-O"], .when(configuration: .debug))] : []),
            plugins: embedsFiles ? ["EmbedFiles"] : []
        )
    }

    static func tests(
        _ name: String,
        _ dependencies: [Dependency],
        usesTestKit: Bool = true,
        copies files: [String] = []
    ) -> Target {
        .testTarget(
            name: name,
            dependencies: dependencies + (usesTestKit ? ["DaybookTestKit"] : []),
            resources: files.map { .copy($0) },
            swiftSettings: strict + unoptimized
        )
    }
}

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let configuration = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let system = Target.Dependency.product(name: "SystemPackage", package: "swift-system")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
/// What every capability over payments uses.
let capability: [Target.Dependency] = ["Canonical", "EventLog", "Payments", "Postgres", "Projections"]

let package = Package(
    name: "daybook",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "daybook", targets: ["daybook"])],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-configuration", exact: "1.4.0"),
        .package(url: "https://github.com/apple/swift-crypto", exact: "4.5.2"),
        .package(url: "https://github.com/apple/swift-http-types", exact: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", exact: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio", exact: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", exact: "2.37.6"),
        .package(url: "https://github.com/apple/swift-system", exact: "1.8.1"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", exact: "2.28.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", exact: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", exact: "2.13.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2"),
    ],
    // From the ground up: a target uses only targets above it.
    targets: [
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .executableTarget(name: "embed-files", swiftSettings: strict),
        .plugin(
            name: "EmbedFiles",
            capability: .buildTool(),
            dependencies: ["embed-files"],
            path: "Sources/EmbedFiles"
        ),
        .plugin(name: "StampCommit", capability: .buildTool(), path: "Sources/StampCommit"),
        .ours("Canonical", [], isOptimized: true),
        .ours("EMV", [], isOptimized: true),
        .ours("Merkle", [crypto], isOptimized: true),
        .ours("XML", [], isOptimized: true),
        .ours("Payments", ["Canonical", crypto], isOptimized: true),
        .ours("Redaction", ["Canonical", "EMV", crypto], isOptimized: true),
        .ours("Vendors", ["Canonical", "EMV", "Payments", "Redaction"], isOptimized: true),
        .ours(
            "Gateways",
            [
                "Canonical", "Payments", "Redaction", "Vendors", "XML", asyncHTTPClient, configuration, crypto, nio,
                nioHTTP1, nioPosix, nioSSL,
            ]
        ),
        .ours("Tables", ["Canonical", "Payments"]),
        .ours("Statements", ["Canonical", "Payments", "Tables", "XML", crypto], isOptimized: true),
        .ours("Matching", ["Canonical", "Payments", "Redaction"]),
        .ours("ReplayRules", ["Canonical", "Payments", "Redaction"], embedsFiles: true, isOptimized: true),
        .ours("HTTPRequests", [asyncHTTPClient, nio, nioHTTP1, nioPosix]),
        .ours("Postgres", ["CLibPQ", "Canonical", crypto, logging], embedsFiles: true, isOptimized: true),
        .ours("PostgresCluster", [logging, subprocess, system]),
        .ours("EventLog", ["Canonical", "Merkle", "Postgres", crypto, logging, metrics], isOptimized: true),
        .ours("Access", ["Canonical", "Postgres", crypto]),
        .ours("Intake", ["Canonical", "EventLog", "Payments", "Redaction", "Vendors", crypto]),
        .ours(
            "Projections",
            ["Canonical", "EMV", "EventLog", "Payments", "Postgres", crypto, logging, metrics],
            embedsFiles: true
        ),
        .ours("Audit", ["Canonical", "EventLog", "Merkle", "Postgres", "Projections", system]),
        .ours(
            "Reconciliation",
            capability + ["Intake", "Matching", "Redaction", "Statements", crypto, logging],
            embedsFiles: true
        ),
        .ours("Journal", capability + ["Intake", "Matching", "Statements", "Tables", crypto], embedsFiles: true),
        .ours(
            "Replay",
            capability + ["Gateways", "Intake", "Redaction", "ReplayRules", "Vendors", crypto, logging],
            embedsFiles: true
        ),
        .ours(
            "Composition",
            [
                "Access", "Canonical", "EventLog", "Gateways", "Intake", "Journal", "Postgres", "Projections",
                "Reconciliation", "Replay", logging,
            ],
            embedsFiles: true
        ),
        .ours("Simulator", ["Canonical", "Matching", "Payments", "Statements"]),
        .ours("GatewayStandIn", ["Canonical", "Simulator", "XML", lifecycle, nio, nioHTTP1, nioPosix, system]),
        .ours(
            "HTTPEdge",
            ["CZlib", "Canonical", httpTypes, hummingbird, lifecycle, logging, metrics, nio, nioPosix, system]
        ),
        .ours("WitnessService", ["Canonical", "HTTPEdge", "Merkle", httpTypes, logging]),
        .ours(
            "Operations",
            [
                "Access", "Canonical", "Composition", "EventLog", "Intake", "Journal", "Matching", "Merkle", "Payments",
                "Postgres", "Projections", "Reconciliation", "Redaction", "Replay", "ReplayRules", "Statements",
                "Tables", "Vendors", logging,
            ]
        ),
        .ours(
            "DaybookAPI",
            [
                "Access", "Canonical", "Composition", "EventLog", "HTTPEdge", "Intake", "Journal", "Matching",
                "Merkle", "Operations", "Payments", "Projections", "Reconciliation", "Redaction", "Replay",
                "ReplayRules", "Statements", "Tables", httpTypes, logging, yams,
            ],
            embedsFiles: true
        ),
        .ours(
            "Console",
            [
                "Access", "Canonical", "Composition", "DaybookAPI", "EMV", "EventLog", "HTTPEdge", "Intake", "Journal",
                "Matching", "Merkle", "Operations", "Payments", "Projections", "Reconciliation", "Redaction", "Replay",
                "ReplayRules", "Statements", crypto, httpTypes, logging, mustache,
            ],
            embedsFiles: true
        ),
        .executableTarget(
            name: "daybook",
            dependencies: [
                "Access", "Audit", "Canonical", "Composition", "Console", "DaybookAPI", "EventLog", "GatewayStandIn",
                "Gateways", "HTTPEdge", "HTTPRequests", "Intake", "Journal", "Matching", "Merkle", "Operations",
                "Payments", "Postgres", "PostgresCluster", "Projections", "Reconciliation", "Redaction", "Replay",
                "ReplayRules", "Simulator", "Statements", "Tables", "WitnessService", argumentParser, configuration,
                lifecycle, logging, metrics, subprocess, system,
            ],
            swiftSettings: strict,
            plugins: ["StampCommit"]
        ),
        .ours(
            "DaybookTestKit",
            ["Canonical", "EventLog", "HTTPRequests", "Postgres", "PostgresCluster", logging, subprocess, system]
        ),
        .executableTarget(
            name: "cluster-probe",
            dependencies: ["PostgresCluster"],
            path: "Tests/Programs/cluster-probe",
            swiftSettings: strict
        ),
        // The programs of `make bench` and `make cost`, separate from the service.
        .ours("BenchReport", [], at: "Benchmarks/BenchReport"),
        .executableTarget(
            name: "daybook-bench",
            dependencies: [
                "BenchReport", "CLibPQ", "Canonical", "Composition", "DaybookTestKit", "EventLog", "Postgres",
                "PostgresCluster", "ReplayProof", argumentParser, logging,
            ],
            path: "Benchmarks/daybook-bench",
            swiftSettings: strict,
            plugins: ["EmbedFiles"]
        ),
        .systemLibrary(name: "CCallgrind", path: "Benchmarks/CCallgrind"),
        .executableTarget(
            name: "daybook-cost",
            dependencies: [
                "Access", "CCallgrind", "Canonical", "Composition", "Console", "DaybookAPI", "EventLog", "HTTPEdge",
                "Postgres", "PostgresCluster", "Projections", "Redaction", argumentParser, httpTypes, lifecycle,
                logging, metrics,
            ],
            path: "Benchmarks/daybook-cost",
            swiftSettings: strict,
            // Without debug information, because valgrind 3.19 cannot read Swift's.
            linkerSettings: [.unsafeFlags(["-Xlinker", "-S"])]
        ),
        .ours(
            "FuzzTargets",
            ["Canonical", "EMV", "Payments", "Redaction", "Vendors", "XML"],
            at: "Tests/Fuzzing/Targets"
        ),
        .ours(
            "ReplayProof",
            [
                "Canonical", "DaybookTestKit", "Gateways", "HTTPRequests", "Payments", "PostgresCluster", "Simulator",
                configuration,
            ],
            at: "Tests/ReplayProof"
        ),
        .ours("Gunzip", ["CZlib"], at: "Tests/Gunzip"),
        .ours("TestFacts", ["Canonical", "DaybookTestKit", "Payments"], at: "Tests/TestFacts"),
        .tests("FuzzingTests", ["FuzzTargets"], copies: ["Expected"]),
        .tests("BenchReportTests", ["BenchReport"], usesTestKit: false),
        .tests("CanonicalTests", ["Canonical"], copies: ["Expected"]),
        .tests("EMVTests", ["EMV"]),
        .tests("XMLTests", ["XML"], usesTestKit: false),
        .tests("MerkleTests", ["Merkle", crypto]),
        .tests("PaymentsTests", ["Canonical", "Payments", "TestFacts"], copies: ["Golden/Events", "Books/Histories"]),
        .tests("RedactionTests", ["Canonical", "Redaction"]),
        .tests("VendorsTests", ["Canonical", "EMV", "Payments", "Redaction", "Vendors"], copies: ["Fixtures"]),
        .tests(
            "GatewaysTests",
            ["Canonical", "Gateways", "Payments", "Redaction", "Vendors", configuration, nio, nioPosix, nioSSL]
        ),
        .tests(
            "SimulatorTests",
            ["Canonical", "Matching", "Payments", "Projections", "Redaction", "Simulator", "Statements", "Vendors"],
            usesTestKit: false
        ),
        .tests(
            "GatewayStandInTests",
            ["Canonical", "GatewayStandIn", "Payments", "Redaction", "Simulator", "Vendors", "XML", lifecycle, logging]
        ),
        .tests("TablesTests", ["Canonical", "Tables"], usesTestKit: false),
        .tests("StatementsTests", ["Canonical", "Payments", "Statements", "Tables"]),
        .tests("PostgresTests", ["Canonical", "Postgres", "PostgresCluster"]),
        .tests("PostgresClusterTests", ["PostgresCluster", "cluster-probe"]),
        .tests("IntakeTests", ["Canonical", "EventLog", "Intake", "Payments", "Postgres", "Redaction", "Vendors"]),
        .tests(
            "ReconciliationTests",
            [
                "Canonical", "Composition", "EventLog", "Intake", "Journal", "Matching", "Operations", "Payments",
                "Postgres", "Projections", "Reconciliation", "Redaction", "Simulator", "Statements", "TestFacts",
            ],
            copies: ["Scenarios"]
        ),
        .tests("ReplayRulesTests", ["Canonical", "Payments", "Redaction", "ReplayRules", "Vendors"]),
        .tests(
            "ReplayTests",
            [
                "Canonical", "EventLog", "GatewayStandIn", "Gateways", "Intake", "Payments", "Postgres", "Projections",
                "Redaction", "Replay", "ReplayRules", "Simulator", "Vendors", configuration, lifecycle, logging,
            ]
        ),
        .tests("CompositionTests", ["Composition", "EventLog", "Postgres", "PostgresCluster"]),
        .tests("EventLogTests", ["Canonical", "EventLog", "Merkle", "Postgres", "PostgresCluster", logging]),
        .tests("AccessTests", ["Access", "Canonical", "Postgres"]),
        .tests(
            "AuditTests",
            ["Audit", "Canonical", "Composition", "EventLog", "Intake", "Merkle", "Postgres", "Projections"]
        ),
        .tests(
            "ProjectionsTests",
            capability + ["Composition", "Journal", "Matching", "Operations", "Tables"],
            copies: ["Golden"]
        ),
        .tests("WitnessServiceTests", ["Canonical", "HTTPEdge", "Merkle", "WitnessService", lifecycle, logging]),
        .tests("HTTPEdgeTests", ["Canonical", "Gunzip", "HTTPEdge", httpTypes, lifecycle, logging, metrics, nio]),
        .tests(
            "OperationsTests",
            [
                "Canonical", "Intake", "Matching", "Operations", "Payments", "Projections", "Redaction", "Replay",
                "Tables",
            ],
            usesTestKit: false
        ),
        .tests(
            "DaybookAPITests",
            [
                "Access", "Canonical", "Composition", "DaybookAPI", "EventLog", "Gateways", "Gunzip", "HTTPEdge",
                "Intake", "Journal", "Matching", "Merkle", "Operations", "Payments", "Postgres", "PostgresCluster",
                "Projections", "Reconciliation", "Redaction", "Replay", "ReplayRules", "Statements", "Tables",
                "Vendors", configuration, httpTypes, lifecycle, logging,
            ]
        ),
        .tests(
            "ConsoleTests",
            [
                "Access", "Canonical", "Composition", "Console", "DaybookAPI", "EventLog", "Gateways", "HTTPEdge",
                "Intake", "Journal", "Matching", "Merkle", "Operations", "Payments", "Postgres", "Projections",
                "Reconciliation", "Redaction", "Replay", "ReplayRules", "Simulator", "daybook", configuration,
                httpTypes, lifecycle, logging,
            ]
        ),
        .tests(
            "SystemTests",
            [
                "Canonical", "Composition", "EMV", "EventLog", "HTTPRequests", "Intake", "Matching", "Merkle",
                "Operations", "Payments", "Postgres", "PostgresCluster", "Reconciliation", "ReplayProof", "Simulator",
                "Tables", "Vendors", "daybook",
            ]
        ),
        .testTarget(name: "Tidy", exclude: ["ceilings.json"], swiftSettings: strict),
    ]
)
// libFuzzer has its own `main`: built by ops/fuzz and ops/same-reading only.
if Context.environment["DAYBOOK_FUZZ"] != nil {
    package.targets += ["daybook-fuzz", "daybook-reading"].map { name in
        .executableTarget(
            name: name,
            dependencies: name == "daybook-fuzz" ? ["FuzzTargets"] : ["DaybookTestKit", "FuzzTargets"],
            path: "Tests/Programs/\(name)",
            swiftSettings: strict
        )
    }
}
