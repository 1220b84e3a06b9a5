import BenchReport
import DaybookTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// wrk, the client of reads over HTTP: one thread of it requests more than the service answers.
struct Wrk: Sendable {
    let program: String

    static let missing = "wrk is not installed: `make setup`, or `apt-get install wrk`"

    /// - Returns: nil if it is not on the `PATH`.
    static func find() -> Wrk? {
        let folders = getenv("PATH").map { String(cString: $0).split(separator: ":") } ?? []
        return folders.map { "\($0)/wrk" }.first { access($0, X_OK) == 0 }.map(Wrk.init)
    }

    /// Requests the paths of a file in turn, after a warm-up that begins in the middle of the file.
    ///
    /// - Parameter count: The number of paths.
    /// - Throws: `LoadFailure` if a request was not answered with success.
    func read(
        _ paths: String,
        count: Int,
        accept: String?,
        connections: Int,
        seconds: Double,
        _ service: BenchService
    ) async throws -> WrkReport {
        let script = paths + ".lua"
        try writeText(EmbeddedFiles.paths_lua, to: script)
        func run(_ seconds: Double, from first: Int) async throws -> WrkReport {
            let headers = ["Authorization: Bearer \(service.key)"] + (accept.map { ["Accept: \($0)"] } ?? [])
            let result = try await ChildProgram.run(
                program,
                [
                    "--threads", "1", "--connections", "\(connections)", "--duration",
                    "\(max(1, Int(seconds.rounded())))s", "--latency", "--script", script,
                ] + headers.flatMap { ["--header", $0] }
                    + ["http://127.0.0.1:\(service.port)", "--", paths, "\(first)"]
            )
            guard result.succeeded else { throw LoadFailure("wrk failed: \(result.standardError)") }
            let report = try WrkReport(parsing: result.standardOutput)
            guard report.failures == 0 else { throw LoadFailure("\(report.failures) reads of \(paths) failed") }
            return report
        }
        _ = try await run(seconds / 4, from: count / 2)
        return try await run(seconds, from: 0)
    }
}
