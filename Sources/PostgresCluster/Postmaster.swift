#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The contents of a running server's `postmaster.pid`: one fact per line, in this order: process id, data directory,
/// start time, port, socket directory, listen address, shared memory key, state (PostgreSQL source,
/// `src/include/utils/pidfile.h`).
struct Postmaster: Sendable, Hashable {
    static let fileName = "postmaster.pid"

    enum State: String, Sendable {
        case starting
        case ready
        case standby
        case stopping
    }

    let processID: pid_t
    /// Seconds since 1970; distinguishes this server from a later one with the same process id.
    let startedAtSeconds: Int64?
    let socketDirectory: String?
    /// nil until the server has written it.
    let state: State?

    init?(text: String) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.drop { $0 == " " }.prefix { $0 != " " || line.hasPrefix("/") })
        }
        guard let first = lines.first, let processID = pid_t(first), processID > 0 else { return nil }
        func line(_ number: Int) -> String? {
            lines.count >= number && !lines[number - 1].isEmpty ? lines[number - 1] : nil
        }
        self.processID = processID
        startedAtSeconds = line(3).flatMap { Int64($0) }
        socketDirectory = line(5)
        state = line(8).flatMap { State(rawValue: $0) }
    }

    /// The server running on a data directory; nil when the file was left behind by a server that is gone.
    static func running(on data: String) -> Postmaster? {
        guard let text = PrivateFiles.text(of: "\(data)/\(fileName)"), let postmaster = Postmaster(text: text),
            postmaster.isAlive(on: data)
        else { return nil }
        return postmaster
    }

    /// Identifies the current run of the server.
    var mark: String { "\(processID) \(startedAtSeconds ?? 0)\n" }

    /// Whether the process exists and is a server running in that directory: not another process with a reused id, nor
    /// a dead one that has not been reaped yet.
    private func isAlive(on data: String) -> Bool {
        guard kill(processID, 0) == 0 || errno == EPERM else { return false }
        #if os(Linux)
        // The server's working directory is its data directory.
        guard let workingDirectory = PrivateFiles.destination(of: "/proc/\(processID)/cwd"),
            let program = PrivateFiles.destination(of: "/proc/\(processID)/exe"),
            let resolved = try? PrivateFiles.resolved(data)
        else { return false }
        return workingDirectory == resolved && program.split(separator: "/").last?.hasPrefix("postgres") == true
        #else
        return true
        #endif
    }
}
