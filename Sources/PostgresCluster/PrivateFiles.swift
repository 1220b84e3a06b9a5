#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Small files and directories of one account. Operations do not follow links, so that links in another account's
/// directory cannot mislead root.
enum PrivateFiles {
    struct Attributes {
        let isDirectory: Bool
        let mode: mode_t
        let userID: uid_t
        let groupID: gid_t
    }

    static func error(_ action: String, _ path: String) -> PostgresClusterError {
        let reason = String(cString: strerror(errno))
        return PostgresClusterError(
            .fileSystem,
            "Could not \(action) \(path): \(reason)",
            hint: "Check the directory's owner, permissions and free space."
        )
    }

    /// nil when the path does not exist, or is not visible to this process. Links are not followed.
    static func attributes(of path: String) -> Attributes? {
        var entry = stat()
        guard lstat(path, &entry) == 0 else { return nil }
        return Attributes(
            isDirectory: entry.st_mode & S_IFMT == S_IFDIR,
            mode: entry.st_mode & 0o7777,
            userID: entry.st_uid,
            groupID: entry.st_gid
        )
    }

    static func exists(_ path: String) -> Bool { attributes(of: path) != nil }

    static func inode(of path: String) -> UInt64? {
        var entry = stat()
        return stat(path, &entry) == 0 ? UInt64(entry.st_ino) : nil
    }

    static func isSameFile(_ descriptor: CInt, _ path: String) -> Bool {
        var opened = stat()
        var named = stat()
        return fstat(descriptor, &opened) == 0 && stat(path, &named) == 0 && opened.st_ino == named.st_ino
            && opened.st_dev == named.st_dev
    }

    /// The names in a directory without `.` and `..`; empty when it cannot be read.
    static func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let capacity = MemoryLayout.size(ofValue: entry.pointee.d_name)
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: capacity) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The size in bytes; 0 when there is no such file.
    static func size(of path: String) -> Int64 {
        var entry = stat()
        return lstat(path, &entry) == 0 ? Int64(entry.st_size) : 0
    }

    /// A small file's text, at most 64 KiB; nil when there is none that can be read.
    ///
    /// - Parameter offset: the offset of the first byte to read.
    static func text(of path: String, from offset: Int64 = 0) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        if offset > 0 { lseek(descriptor, off_t(offset), SEEK_SET) }
        var bytes: [UInt8] = []
        while bytes.count < 64 * 1024 {
            let chunk = [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
                count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
            }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Replaces a file as a whole or not at all; it is on disk before this returns.
    static func replace(_ path: String, with text: String, in directory: String) throws(PostgresClusterError) {
        let temporary = "\(path).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw error("create", temporary) }
        defer { close(descriptor) }
        adopt(descriptor, in: directory)
        let bytes = Array(text.utf8)
        guard write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
            throw error("write", temporary)
        }
        try move(temporary, to: path, in: directory)
    }

    /// Renames a file, and makes the new name durable.
    static func move(_ from: String, to path: String, in directory: String) throws(PostgresClusterError) {
        guard rename(from, path) == 0 else { throw error("rename to", path) }
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw error("open", directory) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw error("sync", directory) }
    }

    /// Opens a lock file, and creates it if necessary. The file belongs to its directory's owner, so that root and that
    /// owner can both use it.
    static func openLockFile(_ path: String) throws(PostgresClusterError) -> CInt {
        var descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        if descriptor >= 0 {
            if let slash = path.lastIndex(of: "/") { adopt(descriptor, in: String(path[..<slash])) }
            return descriptor
        }
        guard errno == EEXIST else { throw error("create", path) }
        descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw error("open", path) }
        return descriptor
    }

    /// Gives a file that root has just created to the owner of its directory.
    private static func adopt(_ descriptor: CInt, in directory: String) {
        guard geteuid() == 0, let parent = attributes(of: directory), parent.userID != 0 else { return }
        // On failure the file stays root's, and only root can use it; there is no other harm.
        _ = fchown(descriptor, parent.userID, parent.groupID)
    }

    /// Creates a directory and its parents. Existing ones are left as they are.
    ///
    /// - Parameter mode: the mode of the last one, whatever the umask. Parents get 0755.
    static func makeDirectories(_ path: String, mode: mode_t) throws(PostgresClusterError) {
        if mkdir(path, mode) == 0 {
            guard chmod(path, mode) == 0 else { throw error("set the mode of", path) }
            return
        }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try makeDirectories(String(path[..<slash]), mode: 0o755)
            // In a place where nothing can be created, such as /proc, the directory still does not exist.
            guard mkdir(path, mode) == 0 || errno == EEXIST, chmod(path, mode) == 0 else {
                throw error("create", path)
            }
            return
        }
        guard errno == EEXIST else { throw error("create", path) }
        var entry = stat()
        guard stat(path, &entry) == 0, entry.st_mode & S_IFMT == S_IFDIR else {
            throw PostgresClusterError(
                .fileSystem,
                "\(path) is not a directory",
                hint: "Choose another data directory."
            )
        }
    }

    /// Creates a directory for one account only, or checks that an existing one is private to it.
    static func makePrivateDirectory(_ path: String, for account: ServerAccount) throws(PostgresClusterError) {
        let isNew = mkdir(path, 0o700) == 0
        guard isNew || errno == EEXIST else { throw error("create", path) }
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw error("open", path) }
        defer { close(descriptor) }
        if isNew {
            guard fchmod(descriptor, 0o700) == 0,
                !account.isDropped || fchown(descriptor, account.userID, account.groupID) == 0
            else {
                let failure = error("hand over", path)
                rmdir(path)
                throw failure
            }
        }
        var entry = stat()
        guard fstat(descriptor, &entry) == 0, entry.st_uid == account.userID, entry.st_mode & 0o077 == 0 else {
            throw PostgresClusterError(
                .wrongOwner,
                "\(path) is open to others than \(account.name)",
                hint: "Remove it, or give it to \(account.name) with mode 0700."
            )
        }
    }

    /// The path of an existing file or directory, without links and dots.
    static func resolved(_ path: String) throws(PostgresClusterError) -> String {
        guard let real = realpath(path, nil) else { throw error("resolve", path) }
        defer { free(real) }
        return String(cString: real)
    }

    /// The target of a symbolic link; nil when it cannot be read.
    static func destination(of link: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4097) { buffer in
            guard let base = buffer.baseAddress else { return nil }
            let length = readlink(link, base, buffer.count - 1)
            guard length >= 0 else { return nil }
            base[length] = 0
            return String(cString: base)
        }
    }
}
