/// Counts the events that sessions of the service read from the table of the log, by a policy that counts each row.
package struct CountedRows: Sendable {
    private let url: String

    /// Counts from now on.
    ///
    /// - Parameter url: The database, with a superuser.
    package init(at url: String) async throws {
        self.url = url
        try await TestDatabase.psql(
            """
            CREATE SEQUENCE public.rows_read; GRANT ALL ON SEQUENCE public.rows_read TO PUBLIC;
            CREATE FUNCTION public.row_read() RETURNS boolean RETURN nextval('public.rows_read') > 0;
            CREATE POLICY rows_read ON ledger.events FOR SELECT USING (public.row_read());
            CREATE POLICY rows_written ON ledger.events FOR INSERT WITH CHECK (true);
            ALTER TABLE ledger.events ENABLE ROW LEVEL SECURITY;
            """,
            at: url
        )
    }

    /// The number of events that were read.
    package func count() async throws -> Int {
        let shown = try await TestDatabase.psql(
            "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM public.rows_read",
            at: url
        )
        guard let count = Int(shown) else { throw TestKitError("no number of rows: \(shown)") }
        return count
    }

    /// The number of events that are read while `body` runs.
    package func read(by body: () async throws -> Void) async throws -> Int {
        let before = try await count()
        try await body()
        return try await count() - before
    }
}
