#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The paths of a cluster's files, and the account that owns them.
struct ClusterLocation: Sendable {
    /// The data directory the cluster belongs to, with links resolved.
    let dataDirectory: String
    let identity: ClusterIdentity
    /// The directory with everything the server's account owns, with links resolved.
    let home: String
    let account: ServerAccount

    /// PostgreSQL's own data directory.
    var data: String { "\(home)/data" }
    var log: String { "\(home)/server.log" }
    var isRelocated: Bool { identity.homeElsewhere != nil }
    /// The lock held by every process that uses the server. It is beside the home, because the home belongs to an
    /// account that root does not trust. It is tied to the home and not to the data directory, because the data
    /// directory may have been copied.
    var usersLock: String { "\(home).users.lock" }

    /// The lock held while the server is made, started or stopped.
    var startLock: String { Self.startLock(in: dataDirectory) }

    static func startLock(in dataDirectory: String) -> String { "\(dataDirectory)/start.lock" }

    /// The major release that made the cluster; nil before that, or when the file is gone.
    var majorVersion: Int? {
        PrivateFiles.text(of: "\(data)/PG_VERSION").flatMap { Int($0.prefix { $0.isNumber }) }
    }

    var hasData: Bool { majorVersion != nil && PrivateFiles.exists("\(data)/global/pg_control") }

    /// The location of an existing cluster; nil when there is none yet. Changes nothing.
    ///
    /// - Throws: `PostgresClusterError` with code `wrongOwner`, `foreignDirectory` or `fileSystem`.
    static func existing(
        in dataDirectory: String,
        options: PostgresClusterOptions
    ) throws(PostgresClusterError) -> ClusterLocation? {
        guard let identity = try ClusterIdentity.read(from: dataDirectory) else {
            let home = "\(dataDirectory)/\(ClusterIdentity.homeName)"
            guard PrivateFiles.exists(home) else { return nil }
            throw PostgresClusterError(
                .foreignDirectory,
                "\(home) was not made by this program",
                hint: "Move it away, or choose another data directory."
            )
        }
        let home = identity.homeElsewhere ?? "\(dataDirectory)/\(ClusterIdentity.homeName)"
        let owner = PrivateFiles.attributes(of: home).map { (userID: $0.userID, groupID: $0.groupID) }
        let account = try ServerAccount.forCluster(ownedBy: owner, preferredName: options.serverUserName)
        return ClusterLocation(dataDirectory: dataDirectory, identity: identity, home: home, account: account)
    }

    /// Chooses the location of a new cluster and makes its home: in the data directory, unless the server's account
    /// cannot enter it.
    static func choose(
        in dataDirectory: String,
        options: PostgresClusterOptions
    ) async throws -> ClusterLocation {
        let account = try ServerAccount.forCluster(ownedBy: nil, preferredName: options.serverUserName)
        let id = ClusterIdentity.randomID()
        var identity = ClusterIdentity(id: id, homeElsewhere: nil, isInitialised: false)
        if try await !canLive(in: dataDirectory, account) {
            try PrivateFiles.makeDirectories(options.sharedStateDirectory, mode: 0o711)
            guard try await canEnter(options.sharedStateDirectory, account) else {
                throw PostgresClusterError(
                    .locationNotAccessible,
                    "The user \(account.name) can enter neither \(dataDirectory) nor \(options.sharedStateDirectory)",
                    hint: "Let that user pass through the data directory (chmod o+x), or choose another one."
                )
            }
            let shared = try PrivateFiles.resolved(options.sharedStateDirectory)
            identity = ClusterIdentity(id: id, homeElsewhere: "\(shared)/\(id)", isInitialised: false)
        }
        try identity.write(to: dataDirectory)
        let home = identity.homeElsewhere ?? "\(dataDirectory)/\(ClusterIdentity.homeName)"
        return ClusterLocation(dataDirectory: dataDirectory, identity: identity, home: home, account: account)
    }

    /// Whether the account can enter the directory, and files in it can be given to the account: some file systems have
    /// no owners.
    private static func canLive(in directory: String, _ account: ServerAccount) async throws -> Bool {
        guard account.isDropped else { return true }
        guard try await canEnter(directory, account) else { return false }
        let probe = "\(directory)/owner-probe-\(ClusterIdentity.randomID())"
        defer { rmdir(probe) }
        return mkdir(probe, 0o700) == 0 && lchown(probe, account.userID, account.groupID) == 0
    }

    /// Checks with the kernel as that account, so that access lists and mount options are applied.
    static func canEnter(_ directory: String, _ account: ServerAccount) async throws -> Bool {
        guard account.isDropped else { return access(directory, X_OK) == 0 }
        return try await ServerTool(account: account).run("/bin/sh", ["-c", #"test -x "$1""#, "sh", directory])
            .succeeded
    }
}

/// The directory for the server's socket.
struct SocketDirectory {
    /// The longest path a socket may have: the kernel's field minus its terminating zero.
    static let longestPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    static func socketName(in directory: String) -> String { "\(directory)/.s.PGSQL.\(ServerSettings.port)" }

    /// The directory under the cluster's home if its path is short and plain enough for a socket address and a list of
    /// directories; otherwise a short one under `/run` or `/tmp` whose name only this cluster would choose.
    ///
    /// - Throws: `PostgresClusterError` with code `noSocketDirectory`.
    static func make(for location: ClusterLocation) throws(PostgresClusterError) -> String {
        let inHome = "\(location.home)/run"
        if isUsable(inHome) {
            try PrivateFiles.makePrivateDirectory(inHome, for: location.account)
            return inHome
        }
        let name = shortName(for: location)
        var failure: PostgresClusterError?
        for parent in location.account.isDropped ? ["/run", "/tmp"] : ["/tmp"] {
            do throws(PostgresClusterError) {
                let directory = "\(parent)/\(name)"
                try PrivateFiles.makePrivateDirectory(directory, for: location.account)
                return directory
            } catch {
                failure = error
            }
        }
        throw PostgresClusterError(
            .noSocketDirectory,
            "No directory for the server's socket: \(failure?.message ?? "nowhere to put it")",
            hint: "Choose a data directory with a shorter path, or remove the directory named above."
        )
    }

    /// A name made of the id and the home: a copy of a data directory is another cluster with the same id.
    static func shortName(for location: ClusterLocation) -> String {
        // FNV-1a, 64 bits
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in "\(location.identity.id)\(location.home)".utf8 {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        return "daybook-\(String(hash, radix: 16))"
    }

    static func isUsable(_ directory: String) -> Bool {
        socketName(in: directory).utf8.count <= longestPathBytes
            && directory.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
    }

    /// Whether a server accepts connections on the cluster's socket.
    static func isAnswered(_ directory: String) -> Bool {
        let path = Array(socketName(in: directory).utf8)
        guard path.count <= longestPathBytes else { return false }
        #if canImport(Darwin)
        let type = SOCK_STREAM
        #elseif canImport(Musl)
        let type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC
        #else
        let type = CInt(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
        let descriptor = socket(AF_UNIX, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // EAGAIN: a server listens, but its queue of waiting callers is full.
        return status == 0 || errno == EAGAIN || errno == EINPROGRESS
    }
}
