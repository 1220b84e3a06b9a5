/// The settings of a session and its server that decide whether a commit outlives a failure.
package struct DurabilitySettings: Sendable, Hashable {
    package enum Standbys: String, Sendable, Hashable, CaseIterable {
        /// Nothing is expected. A wildcard is refused all the same, because any client may acknowledge then.
        case unspecified
        /// Synchronous replication to standbys by name.
        case named
        /// Any standby may acknowledge, or none has to.
        case any
    }

    /// Why the settings do not suffice.
    package enum Fault: String, Error, Sendable, Hashable, CaseIterable {
        case synchronousCommit = "setting-synchronous-commit"
        case fsync = "setting-fsync"
        case fullPageWrites = "setting-full-page-writes"
        case standbyNames = "setting-standby-names"
    }

    /// As the session shows it: `on`, `remote_apply`, `remote_write`, `local`, `off`.
    package var synchronousCommit: String
    package var fsync: String
    package var fullPageWrites: String
    package var standbyNames: String

    package init(synchronousCommit: String, fsync: String, fullPageWrites: String, standbyNames: String) {
        self.synchronousCommit = synchronousCommit
        self.fsync = fsync
        self.fullPageWrites = fullPageWrites
        self.standbyNames = standbyNames
    }

    /// The first fault.
    package func fault(standbys: Standbys) -> Fault? {
        guard ["on", "remote_apply"].contains(synchronousCommit) else { return .synchronousCommit }
        if fsync != "on" { return .fsync }
        if fullPageWrites != "on" { return .fullPageWrites }
        let names = Self.names(in: standbyNames)
        switch standbys {
        case .any: return nil
        case .unspecified: return names.contains("*") ? .standbyNames : nil
        case .named: return names.isEmpty || names.contains("*") || names.contains("") ? .standbyNames : nil
        }
    }

    /// The names in a value of `synchronous_standby_names`. A quoted `*` is the wildcard as well.
    static func names(in text: String) -> [String] {
        var names: [String] = []
        var name: String?
        var isQuoted = false
        func isSpace(_ character: Character) -> Bool { character.isWhitespace || character == "\r\n" }
        for character in text {
            switch character {
            case "\"":
                // A doubled quotation mark within quotation marks ends and reopens them.
                if isQuoted {
                    isQuoted = false
                } else {
                    name = name.map { $0 + "\"" } ?? ""
                    isQuoted = true
                }
            case _ where isQuoted: name?.append(character)
            case "(":
                // What precedes the list is the method and the number.
                (names, name) = ([], nil)
            case ",", ")":
                if let ended = name { names.append(ended) }
                name = nil
            case _ where isSpace(character):
                // `FIRST 1 (`: the word before a space belongs to no list yet.
                if let ended = name { names.append(ended) }
                name = nil
            default: name = (name ?? "") + String(character)
            }
        }
        if let ended = name { names.append(ended) }
        return names
    }
}

extension DurabilitySettings.Fault: CustomStringConvertible {
    package var description: String {
        switch self {
        case .synchronousCommit: "synchronous_commit must be on or remote_apply"
        case .fsync: "fsync must be on"
        case .fullPageWrites: "full_page_writes must be on"
        case .standbyNames:
            "synchronous_standby_names must name the standbys; daybook.replication=any allows a wildcard or no name"
        }
    }
}
