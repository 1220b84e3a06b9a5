import BenchReport
import DaybookTestKit

/// pgbench, the client of PostgreSQL without Daybook: bare libpq, prepared statements, one thread.
struct Pgbench {
    let server: BenchServer

    /// Runs a script repeatedly.
    ///
    /// - Parameter variables: Texts that the script uses as `:name`.
    func run(
        _ script: String,
        variables: [String: String] = [:],
        at url: String,
        clients: Int,
        seconds: Double
    ) async throws -> PgbenchReport {
        try await withTemporaryDirectory(prefix: "bench") { directory in
            let file = directory + "/script.sql"
            try writeText(script, to: file)
            let result = try await ChildProgram.run(
                server.program("pgbench"),
                [
                    "--no-vacuum", "--protocol=prepared", "--file=\(file)", "--client=\(clients)", "--jobs=1",
                    "--time=\(max(1, Int(seconds)))",
                ] + variables.map { "--define=\($0.key)=\($0.value)" } + [url]
            )
            guard result.succeeded else { throw LoadFailure(result.standardError) }
            return try PgbenchReport(parsing: result.standardOutput)
        }
    }
}
