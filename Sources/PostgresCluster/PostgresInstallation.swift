#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The server programs installed on this machine.
package struct PostgresInstallation: Sendable, Hashable {
    package static let oldestSupportedMajorVersion = 15
    private static let programs = ["initdb", "pg_ctl", "postgres", "psql"]

    package let binaryDirectory: String
    package let majorVersion: Int
    /// The version as the server reports it, for example `15.18`.
    package let version: String

    package var psql: String { "\(binaryDirectory)/psql" }
    var initdb: String { "\(binaryDirectory)/initdb" }
    var pgctl: String { "\(binaryDirectory)/pg_ctl" }

    /// Finds the programs to use.
    ///
    /// If the caller or `DAYBOOK_PG_BIN` names a directory, only that one is searched. Otherwise: the directory that
    /// `pg_config --bindir` reports, then Debian's `/usr/lib/postgresql/*/bin` from the highest version down, then
    /// `PATH`.
    ///
    /// - Parameter majorVersion: the release that made an existing cluster; no other can open it.
    /// - Throws: `PostgresClusterError` with code `serverNotInstalled`, `serverTooOld` or `versionMismatch`.
    static func find(binaryDirectory: String?, majorVersion: Int?) async throws -> PostgresInstallation {
        let named = binaryDirectory ?? variable("DAYBOOK_PG_BIN")
        let directories: [String]
        if let named { directories = [named] } else { directories = try await usualDirectories() }

        var found: [PostgresInstallation] = []
        for directory in directories where isComplete(directory) {
            guard let installation = try await read(directory) else { continue }
            if let majorVersion {
                if installation.majorVersion == majorVersion { return installation }
            } else if installation.majorVersion >= oldestSupportedMajorVersion {
                return installation
            }
            found.append(installation)
        }
        guard let other = found.first else {
            let place = named.map { " in \($0)" } ?? ""
            throw PostgresClusterError(
                .serverNotInstalled,
                "No PostgreSQL server (\(programs.joined(separator: ", "))) was found\(place)",
                hint: "Install it (Debian, Ubuntu: apt-get install postgresql), or name its program directory in "
                    + "DAYBOOK_PG_BIN, or give a database URL."
            )
        }
        if let majorVersion {
            throw PostgresClusterError(
                .versionMismatch,
                "The cluster was made by PostgreSQL \(majorVersion), but \(other.version) is installed",
                hint: "Install postgresql-\(majorVersion), or upgrade the cluster with pg_upgrade."
            )
        }
        throw PostgresClusterError(
            .serverTooOld,
            "PostgreSQL \(other.version) is too old",
            hint: "Install release \(oldestSupportedMajorVersion) or newer (Debian, Ubuntu: postgresql)."
        )
    }

    private static func usualDirectories() async throws -> [String] {
        let path = (variable("PATH") ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
            .filter { $0.hasPrefix("/") }
        var directories: [String] = []
        if let place = path.first(where: { access("\($0)/pg_config", X_OK) == 0 }) {
            let program = "\(place)/pg_config"
            let answer = try await ServerTool(account: nil).run(program, ["--bindir"])
            if answer.succeeded, let line = answer.standardOutput.split(whereSeparator: \.isNewline).first {
                directories.append(String(line))
            }
        }
        let debian = "/usr/lib/postgresql"
        directories += PrivateFiles.names(in: debian).compactMap { Int($0) }.sorted(by: >).map { "\(debian)/\($0)/bin" }
        var seen: Set<String> = []
        return (directories + path).filter { seen.insert($0).inserted }
    }

    private static func isComplete(_ directory: String) -> Bool {
        programs.allSatisfy { access("\(directory)/\($0)", X_OK) == 0 }
    }

    /// The installation in a directory; nil when the program does not identify itself as PostgreSQL.
    private static func read(_ directory: String) async throws -> PostgresInstallation? {
        let answer = try await ServerTool(account: nil).run("\(directory)/postgres", ["--version"])
        // Example: "postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
        let words = answer.standardOutput.split(whereSeparator: \.isWhitespace)
        guard answer.succeeded, words.count >= 3, words[1] == "(PostgreSQL)",
            let major = Int(words[2].prefix { $0.isNumber })
        else { return nil }
        return PostgresInstallation(binaryDirectory: directory, majorVersion: major, version: String(words[2]))
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }
}
