/// The contents of `<dataDirectory>/cluster-id`: the id of the cluster that belongs to the data directory, its place,
/// and whether it was ever complete. It is written before anything else, so that a cluster is never mistaken for
/// another owner's, and never silently recreated after its files were lost.
struct ClusterIdentity: Sendable, Hashable {
    static let fileName = "cluster-id"
    static let homeName = "postgres"

    /// 16 lower-case hexadecimal digits, random.
    let id: String
    /// nil: `<dataDirectory>/postgres`. Else the absolute path of a home elsewhere.
    let homeElsewhere: String?
    var isInitialised: Bool

    init(id: String, homeElsewhere: String?, isInitialised: Bool) {
        self.id = id
        self.homeElsewhere = homeElsewhere
        self.isInitialised = isInitialised
    }

    static func randomID() -> String {
        let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    var text: String {
        "id=\(id)\nhome=\(homeElsewhere ?? Self.homeName)\ninitialised=\(isInitialised ? "yes" : "no")\n"
    }

    init?(text: String) {
        var fields: [Substring: String] = [:]
        for line in text.split(separator: "\n") {
            guard let equals = line.firstIndex(of: "=") else { return nil }
            fields[line[..<equals]] = String(line[line.index(after: equals)...])
        }
        guard let id = fields["id"], id.utf8.count == 16,
            id.utf8.allSatisfy({ byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
                default: false
                }
            }),
            let home = fields["home"], home == Self.homeName || home.hasPrefix("/"),
            let initialised = fields["initialised"], ["yes", "no"].contains(initialised)
        else { return nil }
        self.init(id: id, homeElsewhere: home == Self.homeName ? nil : home, isInitialised: initialised == "yes")
    }

    /// The identity file of a data directory; nil when the data directory has no cluster yet.
    ///
    /// - Throws: `PostgresClusterError` with code `fileSystem` when the file exists but is not valid.
    static func read(from dataDirectory: String) throws(PostgresClusterError) -> ClusterIdentity? {
        let path = "\(dataDirectory)/\(fileName)"
        guard PrivateFiles.exists(path) else { return nil }
        guard let text = PrivateFiles.text(of: path) else { throw PrivateFiles.error("read", path) }
        guard let identity = ClusterIdentity(text: text) else {
            throw PostgresClusterError(
                .fileSystem,
                "\(path) is damaged",
                hint: "Restore it from a backup; it names the cluster that belongs to this data directory."
            )
        }
        return identity
    }

    func write(to dataDirectory: String) throws(PostgresClusterError) {
        try PrivateFiles.replace("\(dataDirectory)/\(Self.fileName)", with: text, in: dataDirectory)
    }
}
