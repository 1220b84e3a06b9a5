/// Why the private PostgreSQL server could not be found, made, started or stopped, and what to do about it.
package struct PostgresClusterError: Error, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// No complete set of server programs was found.
        case serverNotInstalled
        /// Server programs were found, but of a release that is too old.
        case serverTooOld
        /// The cluster was made by a major release that is not installed.
        case versionMismatch
        /// The directory contains a cluster that this program did not make.
        case foreignDirectory
        /// The cluster belongs to another user of this machine.
        case wrongOwner
        /// A cluster was made earlier, but its files are gone or incomplete.
        case dataMissing
        /// A file or directory could not be read, made or changed.
        case fileSystem
        /// The account that runs the server does not exist, or cannot be used.
        case noServerAccount
        /// The server's account cannot enter the cluster's directory.
        case locationNotAccessible
        /// No directory for the server's socket was both short enough and safe.
        case noSocketDirectory
        /// Another process holds the lock and did not release it in time.
        case lockTimedOut
        /// A program of the server could not be run, or took longer than allowed.
        case toolFailed
        case initialisationFailed
        case startFailed
        case startTimedOut
        case stopFailed
        /// The server is used by other processes, so it was not stopped.
        case inUse
        /// A server answers on the cluster's socket, but this machine's process table does not show it.
        case runningElsewhere
        /// The running server was started with settings that could lose or leak data.
        case settingsNotInForce
        case databaseFailed
        case invalidOption
    }

    package let code: Code
    /// What happened, in one sentence.
    package let message: String
    /// What to do next, in one sentence.
    package let hint: String
    /// The end of the failed program's output, trimmed; nil when no program was involved.
    package let output: String?

    init(_ code: Code, _ message: String, hint: String, output: String? = nil) {
        self.code = code
        self.message = message
        self.hint = hint
        self.output = output.flatMap { Self.tail(of: $0) }
    }

    package var description: String {
        var text = "\(message) (\(code.rawValue)). \(hint)"
        if let output { text += "\n\(output)" }
        return text
    }

    /// The last 2000 characters without surrounding white space; nil when nothing is left.
    private static func tail(of text: String) -> String? {
        var kept = text.suffix(2000)
        while kept.last?.isWhitespace == true { kept.removeLast() }
        while kept.first?.isWhitespace == true { kept.removeFirst() }
        return kept.isEmpty ? nil : String(kept)
    }
}
