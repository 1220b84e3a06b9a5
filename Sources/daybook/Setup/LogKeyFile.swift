import EventLog
import Foundation
import Merkle

/// The file with the signing keys of a log. Only its owner may read it.
struct LogKeyFile: Sendable {
    let path: String

    init(_ path: String) {
        self.path = path
    }

    /// The file named by `--log-key`, else by `DAYBOOK_LOG_KEY`, else `log.key` in the data directory.
    init(_ settings: Settings, flag: String?) {
        self.init(settings.text("log.key", flag: flag) ?? Self.standard(settings))
    }

    /// The default path of the file.
    static func standard(_ settings: Settings) -> String { settings.dataDirectory + "/log.key" }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// True when other users than the owner may read it.
    var isOpenToOthers: Bool {
        let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        return (mode ?? 0) & 0o077 != 0
    }

    /// - Throws: `Failure` when it cannot be read, or is not a key file.
    func read() throws -> LogKeys {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(
                "The key file \(path) cannot be read.",
                hint: "`daybook keys log --log-key FILE` creates one."
            )
        }
        do {
            return try LogKeys(fileContents: String(decoding: data, as: UTF8.self))
        } catch {
            throw Failure(
                "Line \(error.line) of the key file \(path) is not a key of this log.",
                hint: "Each line is a PRIVATE+KEY, a verifier key of the same name, or begins with #."
            )
        }
    }

    /// Writes the keys to a new file that only its owner may read. The file is on disk when this returns.
    ///
    /// - Throws: `Failure`, also when the file exists.
    func create(_ keys: LogKeys) throws {
        try makeDirectory()
        try write(keys, to: path)
    }

    /// Replaces the keys in the file atomically.
    ///
    /// - Throws: `Failure`.
    func replace(with keys: LogKeys) throws {
        let new = path + ".new"
        try? FileManager.default.removeItem(atPath: new)
        try write(keys, to: new)
        guard rename(new, path) == 0 else { throw failure("replace", path) }
        try syncDirectory()
    }

    private var directory: String {
        let parent = URL(filePath: path).deletingLastPathComponent().path
        return parent.isEmpty ? "." : parent
    }

    private func makeDirectory() throws {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw Failure("The directory \(directory) cannot be created.", hint: "Name another file with --log-key.")
        }
    }

    private func write(_ keys: LogKeys, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("create", path) }
        defer { close(descriptor) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            try handle.write(contentsOf: Data(keys.fileContents.utf8))
            try handle.synchronize()
        } catch {
            try? FileManager.default.removeItem(atPath: path)
            throw Failure("The key file \(path) cannot be written.", hint: "Check the free space and permissions.")
        }
        try syncDirectory()
    }

    private func syncDirectory() throws {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("sync", directory) }
    }

    private func failure(_ action: String, _ path: String) -> Failure {
        let reason = String(cString: strerror(errno))
        return Failure("Could not \(action) \(path): \(reason).", hint: "Check its permissions, or name another file.")
    }
}

extension LogKeys {
    /// A key for a new log.
    ///
    /// - Parameter origin: The log's name; a random one below `daybook/` when nil.
    /// - Throws: `Failure` for a name that is not a key name.
    static func new(origin: String?) throws -> LogKeys {
        let random = String(UInt64.random(in: .min ... .max), radix: 16)
        let text = origin ?? "daybook/" + String(repeating: "0", count: 16 - random.count) + random
        guard let name = NoteKeyName(text) else {
            throw Failure(
                "The origin is not valid.",
                hint: "Use a name such as ledger.example.com/log, without spaces and +."
            )
        }
        return LogKeys(NoteSigningKey(name: name))
    }
}
