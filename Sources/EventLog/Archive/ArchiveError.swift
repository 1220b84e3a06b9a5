/// Why an archived part of the log cannot be read, or why a partition cannot be archived. A read that fails this way is
/// never answered without the archived events.
package struct ArchiveError: Error, Hashable {
    package enum Code: String, Sendable, Hashable {
        /// This process has no archive directory configured.
        case notConfigured
        /// The file is not in the archive directory.
        case missing
        /// The file differs from the one that was archived.
        case changed
        /// The system refuses to read or write the file.
        case unreadable
        /// A row does not match the tree over the log. `daybook verify` reports details.
        case unproven
        /// A record does not have the form of a record line, so it could not be read back.
        case unwritable
        /// Another archiver is running.
        case busy
    }

    package var code: Code
    /// The file's name within the archive directory.
    package var file: String?
    /// The position of the first event concerned.
    package var position: Int64?
    /// The system's error number.
    package var systemError: Int32?

    package init(_ code: Code, file: String? = nil, position: Int64? = nil, systemError: Int32? = nil) {
        self.code = code
        self.file = file
        self.position = position
        self.systemError = systemError
    }
}

extension ArchiveError: CustomStringConvertible {
    package var description: String {
        let name = file.map { " \($0)" } ?? ""
        let place = position.map { " (event \($0))" } ?? ""
        switch code {
        case .notConfigured: return "A part of the log is archived, and no archive directory is given\(place)."
        case .missing: return "The archive\(name) is missing\(place)."
        case .changed: return "The archive\(name) was changed after it was written\(place)."
        case .unreadable:
            return "The archive\(name) cannot be read or written: system error \(systemError ?? 0)\(place)."
        case .unproven: return "The stored events do not agree with the tree of the log\(place)."
        case .unwritable: return "A record does not have the form of a record line and cannot be archived\(place)."
        case .busy: return "Another archiver is running."
        }
    }
}
