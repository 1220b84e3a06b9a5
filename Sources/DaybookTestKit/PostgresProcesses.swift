import Foundation
package import PostgresCluster

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The processes of one PostgreSQL server, to be killed as the kernel kills them when memory is short.
package struct PostgresProcesses {
    package let postmaster: Int32

    /// - Throws: `TestKitError` when the cluster does not run.
    package init(of cluster: PrivateCluster) async throws {
        guard case .running(let processID) = await cluster.status().state else {
            throw TestKitError("No PostgreSQL runs in \(cluster.dataDirectory)")
        }
        postmaster = Int32(processID)
    }

    /// The server's backends and helpers.
    package var children: [Int32] {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { name -> Int32? in
            guard let processID = Int32(name),
                let status = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8),
                // After the name, which is in parentheses: state, parent.
                let rest = status.split(separator: ")").last?.split(separator: " "), rest.count > 1,
                Int32(rest[1]) == postmaster
            else { return nil }
            return processID
        } ?? []
    }

    /// Kills the postmaster first, so that it starts no new backends, and then its remaining processes.
    package func kill() throws {
        let children = children
        guard Glibc.kill(postmaster, SIGKILL) == 0 else { throw TestKitError("kill \(postmaster): \(errno)") }
        for child in children { _ = Glibc.kill(child, SIGKILL) }
    }
}
