extension TestDatabase.Template {
    /// A database with every migration applied.
    package static let ledger = TestDatabase.Template("ledger") { url in
        // Read where the tests were built from: the migrations are files, not resources of this library.
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let script = try await ChildProgram.run(
            "/bin/sh",
            ["-c", "cat \"$1\"/schema/migrations/*/up.sql", "sh", "/\(root)"]
        )
        guard script.succeeded else { throw TestKitError(script.standardError) }
        try await TestDatabase.psql(script.standardOutput, at: url)
    }
}
