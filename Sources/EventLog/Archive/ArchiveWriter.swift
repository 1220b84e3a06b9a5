/// Writes a file of the archive directory under a temporary name, and renames it once it is durable. Every call may
/// block.
final class ArchiveWriter: Sendable {
    private let directory: String
    private let name: String
    private let file: DiskFile

    private let temporary: String

    /// - Parameter writer: Distinguishes writers that may write the file at the same time.
    init(_ name: String, in directory: String, writer: String? = nil) throws(DiskError) {
        self.name = name
        self.directory = directory
        temporary = "\(directory)/\(name)\(writer.map { ".\($0)" } ?? "").partial"
        try Disk.makeDirectory(directory)
        file = try DiskFile(creating: temporary)
    }

    func write(_ bytes: [UInt8]) throws(DiskError) { try file.write(bytes) }

    /// Makes the file durable under its own name, replacing any file of that name.
    func finish() throws(DiskError) {
        try file.synchronize()
        try Disk.rename(temporary, to: "\(directory)/\(name)")
        try Disk.synchronizeDirectory(directory)
    }

    /// Writes a whole file, which other processes may be writing at the same time.
    static func write(_ bytes: [UInt8], to name: String, in directory: String) throws {
        let writer = try ArchiveWriter(name, in: directory, writer: "\(Disk.process)")
        try writer.write(bytes)
        try writer.finish()
    }
}
