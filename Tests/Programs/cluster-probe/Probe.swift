import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Uses a private server as `daybook` does, for tests that need another process or another account.
///
/// `cluster-probe DIRECTORY` takes a lease, prints `ready <url>`, waits for the end of its input, and leaves.
@main
struct Probe {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 2 else {
            print("usage: cluster-probe DIRECTORY")
            return
        }
        do {
            let cluster = PrivateCluster(
                dataDirectory: arguments[1],
                options: PostgresClusterOptions(sharedBuffersMebibytes: 16, maximumConnections: 20)
            )
            let lease = try await cluster.start()
            say("ready \(lease.connectionString())")
            while readLine() != nil {}
            await lease.release()
            say("released")
        } catch {
            say("failed \(error)")
        }
    }

    /// Unbuffered, because the parent process waits for the line.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(STDOUT_FILENO, bytes, bytes.count)
    }
}
