package import PostgresCluster

/// New databases on one real PostgreSQL server that runs as long as the test process.
package enum TestDatabase {
    /// Makes a database, runs the body with its libpq URI, and drops it, even with open connections.
    ///
    /// - Parameter template: the initial content of the database; empty when nil.
    package static func with<Result>(
        template: Template? = nil,
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        guard !LeaseGate.isInside else { return try await withinGate(template: template, body) }
        await LeaseGate.shared.enter()
        do {
            let result = try await LeaseGate.$isInside.withValue(true) {
                try await withinGate(template: template, body)
            }
            await LeaseGate.shared.leave()
            return result
        } catch {
            await LeaseGate.shared.leave()
            throw error
        }
    }

    private static func withinGate<Result>(
        template: Template?,
        _ body: (String) async throws -> Result
    ) async throws -> Result {
        let lease = try await lease(template: template)
        do {
            let result = try await body(lease.url)
            try await lease.drop()
            return result
        } catch {
            // The body's own failure is the one to report; the server ends with the process anyway.
            try? await lease.drop()
            throw error
        }
    }

    /// Makes a database for a test that cannot be written as one closure. It ends with the server if it is never
    /// dropped.
    package static func lease(template: Template? = nil) async throws -> Lease {
        try await TestServer.shared.makeDatabase(template: template)
    }

    /// A prepared database that others are copied from, for example one with the schema applied. It is prepared once
    /// per process and name.
    package struct Template: Sendable {
        package let name: String
        package let onCopy: (@Sendable (_ name: String) -> String)?
        package let prepare: @Sendable (_ url: String) async throws -> Void

        /// - Parameters:
        ///   - onCopy: A statement to run for every copy, made from its name and run outside it.
        ///   - prepare: Must leave no connection open when it returns.
        package init(
            _ name: String,
            onCopy: (@Sendable (_ name: String) -> String)? = nil,
            prepare: @escaping @Sendable (_ url: String) async throws -> Void
        ) {
            self.name = name
            self.onCopy = onCopy
            self.prepare = prepare
        }
    }

    package struct Lease: Sendable {
        package let name: String
        /// A libpq URI of a role with all privileges.
        package let url: String

        package func drop() async throws { try await TestServer.shared.dropDatabase(name) }
    }

    /// The output of `psql` for a statement, unaligned and without a header: a result that does not depend on our own
    /// client.
    ///
    /// - Throws: `TestKitError` with the server's message.
    @discardableResult
    package static func psql(_ sql: String, at url: String) async throws -> String {
        let program = try await TestServer.shared.server().psqlPath
        let result = try await ChildProgram.run(
            program,
            [
                "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--no-password", "--set=ON_ERROR_STOP=1",
                "--command=\(sql)", "--dbname=\(url)",
            ]
        )
        guard result.succeeded else { throw TestKitError(result.standardError) }
        return result.standardOutput.split(whereSeparator: \.isNewline).joined(separator: "\n")
    }

    /// The server, for tests that need another database or its `psql`.
    package static func server() async throws -> PostgresClusterLease {
        try await TestServer.shared.server()
    }
}

/// Makes a database on the process's server, runs the body with its libpq URI, and drops it.
package func withTestDatabase<Result>(
    template: TestDatabase.Template? = nil,
    _ body: (_ url: String) async throws -> Result
) async throws -> Result {
    try await TestDatabase.with(template: template, body)
}
