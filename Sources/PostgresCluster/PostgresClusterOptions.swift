/// The options of the private server. Durability, isolation from the network and silent logging are not optional.
package struct PostgresClusterOptions: Sendable {
    /// Memory for PostgreSQL's page cache, in mebibytes; 1 to 65536.
    package var sharedBuffersMebibytes: Int
    /// The number of sessions the server accepts; 10 to 10000.
    package var maximumConnections: Int
    /// The database that a lease creates if it is missing: lower-case letters, digits and underscores.
    package var database: String
    /// The directory with the server's programs. When nil, `DAYBOOK_PG_BIN` and then the usual places are searched.
    package var binaryDirectory: String?
    /// The server's account when this process is root. Nil selects `postgres`, else `nobody`. Ignored for other users.
    package var serverUserName: String?
    /// The directory for a cluster that cannot be in the data directory. Only used by root.
    package var sharedStateDirectory: String
    /// How long to wait for another process that is starting or stopping the same server.
    package var lockTimeout: Duration
    /// How long a start may take. The recovery of a server that was killed reads what it wrote since its last checkpoint.
    package var startTimeout: Duration
    /// How long an orderly stop may take. After that the server is stopped at once, which costs a recovery at the next
    /// start but no data.
    package var stopTimeout: Duration
    /// Further server settings by name, for tuning. Settings that this module fixes are refused at start.
    package var settings: [String: String]

    package init(
        sharedBuffersMebibytes: Int = 128,
        maximumConnections: Int = 100,
        database: String = "daybook",
        binaryDirectory: String? = nil,
        serverUserName: String? = nil,
        sharedStateDirectory: String = "/var/lib/daybook",
        lockTimeout: Duration = .seconds(330),
        startTimeout: Duration = .seconds(300),
        stopTimeout: Duration = .seconds(30),
        settings: [String: String] = [:]
    ) {
        self.sharedBuffersMebibytes = sharedBuffersMebibytes
        self.maximumConnections = maximumConnections
        self.database = database
        self.binaryDirectory = binaryDirectory
        self.serverUserName = serverUserName
        self.sharedStateDirectory = sharedStateDirectory
        self.lockTimeout = lockTimeout
        self.startTimeout = startTimeout
        self.stopTimeout = stopTimeout
        self.settings = settings
    }

    /// - Throws: `PostgresClusterError` with code `invalidOption`.
    func validate() throws(PostgresClusterError) {
        func refuse(_ what: String) -> PostgresClusterError {
            PostgresClusterError(.invalidOption, what, hint: "Correct the option and start again.")
        }
        guard (1...65536).contains(sharedBuffersMebibytes) else {
            throw refuse("The shared buffers must be 1 to 65536 MiB")
        }
        guard (10...10000).contains(maximumConnections) else {
            throw refuse("The number of connections must be 10 to 10000")
        }
        let name = database.utf8
        guard (1...63).contains(name.count), name.allSatisfy(Self.isNameByte),
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(name.first ?? 0)
        else {
            throw refuse("The database name must be lower-case letters, digits and underscores")
        }
        for (key, value) in settings {
            guard !key.isEmpty, key.utf8.allSatisfy({ Self.isNameByte($0) || $0 == UInt8(ascii: ".") }) else {
                throw refuse("A server setting's name is malformed")
            }
            guard !ServerSettings.fixedNames.contains(key) else {
                throw refuse("The server setting \(key) cannot be changed")
            }
            guard !value.utf8.contains(where: { $0 < 0x20 }) else {
                throw refuse("The server setting \(key) has a control character in its value")
            }
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}
