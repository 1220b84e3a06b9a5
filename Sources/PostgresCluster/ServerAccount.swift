#if canImport(Glibc)
package import Glibc
#elseif canImport(Musl)
package import Musl
#else
package import Darwin
#endif

/// The account that owns the cluster's files and runs every program of the server.
///
/// PostgreSQL refuses to run as root, so root uses an unprivileged account; any other user runs it directly.
package struct ServerAccount: Sendable, Hashable {
    package let userID: uid_t
    package let groupID: gid_t
    package let name: String
    /// Whether this process is root and therefore must switch to this account to run a program.
    package let isDropped: Bool

    static var isRoot: Bool { geteuid() == 0 }

    /// The account for a cluster.
    ///
    /// - Parameters:
    ///   - owner: the owner of the cluster's files, if they exist already; that account continues to run it.
    ///   - preferredName: root's choice of account for a new cluster.
    /// - Throws: `PostgresClusterError` with code `wrongOwner` or `noServerAccount`.
    static func forCluster(
        ownedBy owner: (userID: uid_t, groupID: gid_t)?,
        preferredName: String?
    ) throws(PostgresClusterError) -> ServerAccount {
        let me = geteuid()
        guard me == 0 else {
            if let owner, owner.userID != me {
                throw PostgresClusterError(
                    .wrongOwner,
                    "The cluster belongs to user id \(owner.userID), but this process runs as \(me)",
                    hint: "Run as the cluster's owner or as root, or choose another data directory."
                )
            }
            return ServerAccount(userID: me, groupID: getegid(), name: userName(of: me), isDropped: false)
        }
        if let owner {
            guard owner.userID != 0 else {
                throw PostgresClusterError(
                    .wrongOwner,
                    "The cluster's files belong to root, which may not run PostgreSQL",
                    hint: "Give them to an unprivileged user with chown -R, or choose another data directory."
                )
            }
            return ServerAccount(
                userID: owner.userID,
                groupID: owner.groupID,
                name: userName(of: owner.userID),
                isDropped: true
            )
        }
        let names = preferredName.map { [$0] } ?? ["postgres", "nobody"]
        for name in names {
            if let found = account(named: name), found.userID != 0 { return found }
        }
        throw PostgresClusterError(
            .noServerAccount,
            "No unprivileged account to run PostgreSQL as: \(names.joined(separator: ", "))",
            hint: "Create the user postgres, or run as an ordinary user."
        )
    }

    private static func account(named name: String) -> ServerAccount? {
        lookUp { entry, buffer, size, result in getpwnam_r(name, entry, buffer, size, result) }
            .map { ServerAccount(userID: $0.userID, groupID: $0.groupID, name: name, isDropped: true) }
    }

    private static func userName(of userID: uid_t) -> String {
        lookUp { entry, buffer, size, result in getpwuid_r(userID, entry, buffer, size, result) }?.name
            ?? String(userID)
    }

    private static func lookUp(
        _ call: (
            UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
            UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
        ) -> CInt
    ) -> (userID: uid_t, groupID: gid_t, name: String)? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16 * 1024) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            var entry = passwd()
            var result: UnsafeMutablePointer<passwd>?
            guard call(&entry, base, buffer.count, &result) == 0, result != nil else { return nil }
            return (entry.pw_uid, entry.pw_gid, String(cString: entry.pw_name))
        }
    }
}
