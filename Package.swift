// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "daybook",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "daybook", targets: ["daybook"])],
    dependencies: [
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    ],
    targets: [
        .target(name: "Canonical", swiftSettings: strict),
        .target(
            name: "Payments",
            dependencies: ["Canonical", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CanonicalTests",
            dependencies: ["Canonical", "DaybookTestKit"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PaymentsTests",
            dependencies: ["Canonical", "DaybookTestKit", "Payments"],
            swiftSettings: strict
        ),
        .target(
            name: "PostgresCluster",
            dependencies: [
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "DaybookTestKit",
            dependencies: [
                "Canonical",
                "EventLog",
                "Postgres",
                "PostgresCluster",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "cluster-probe",
            dependencies: ["PostgresCluster"],
            path: "Tests/Programs/cluster-probe",
            swiftSettings: strict
        ),
        .testTarget(
            name: "PostgresClusterTests",
            dependencies: ["DaybookTestKit", "PostgresCluster", "cluster-probe"],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CLibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .target(
            name: "Postgres",
            dependencies: [
                "CLibPQ",
                "Canonical",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "PostgresTests",
            dependencies: ["Canonical", "DaybookTestKit", "Postgres", "PostgresCluster"],
            swiftSettings: strict
        ),
        .target(
            name: "EventLog",
            dependencies: ["Canonical", "Postgres", .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics")],
            swiftSettings: strict
        ),
        .target(
            name: "Projections",
            dependencies: ["Canonical", "Payments", "Postgres", "EventLog", .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"), .product(name: "Metrics", package: "swift-metrics")],
            resources: [
                .embedInCode("Transactions/transactions.sql"),
                .embedInCode("Receipts/receipts.sql"),
                .embedInCode("Batches/batches.sql"),
            ],
            swiftSettings: strict
        ),
        .target(name: "Access", dependencies: ["Canonical", "Postgres", .product(name: "Crypto", package: "swift-crypto")], swiftSettings: strict),
        .target(name: "Vendors", dependencies: ["Canonical", "Payments", .product(name: "Crypto", package: "swift-crypto")], swiftSettings: strict),
        .target(
            name: "Intake",
            dependencies: ["Canonical", "Payments", "Vendors", "EventLog", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: strict
        ),
        .target(
            name: "Settlement",
            dependencies: [
                "Canonical", "Payments", "Postgres", "EventLog", "Intake", "Projections", .product(name: "Crypto", package: "swift-crypto"), .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Ledger",
            dependencies: [
                "Access", "Canonical", "EventLog", "Intake", "Postgres", "Projections", "Settlement", "Vendors", .product(name: "Logging", package: "swift-log"),
            ],
            resources: [
                .embedInCode("Migrations/m0001_event_log.sql"),
                .embedInCode("Migrations/m0002_tenancy.sql"),
                .embedInCode("Migrations/m0003_projections.sql"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "HTTPEdge",
            dependencies: [
                "Canonical",
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "HTTPEdgeTests",
            dependencies: [
                "Canonical",
                "DaybookTestKit",
                "HTTPEdge",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "EventLogTests",
            dependencies: ["Canonical", "DaybookTestKit", "EventLog", "Postgres", "PostgresCluster"],
            swiftSettings: strict
        ),
        .target(
            name: "DaybookAPI",
            dependencies: [
                "Access", "Canonical", "EventLog", "HTTPEdge", "Intake", "Ledger", "Payments", "Postgres",
                "Projections", "Vendors",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [.embedInCode("OpenAPI/openapi.yaml")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "daybook",
            dependencies: [
                "Access", "Canonical", "DaybookAPI", "EventLog", "HTTPEdge", "Intake", "Ledger", "Payments", "Postgres",
                "PostgresCluster", "Projections", "Vendors",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Subprocess", package: "swift-subprocess"),
                .product(name: "SystemPackage", package: "swift-system"),
            ],
            resources: [.embedInCode("Demo/documents.json")],
            swiftSettings: strict
        ),
    ]
)
