/// An open archive and its index. Every call may block.
struct ArchiveFile: Sendable {
    let range: ArchivedRange
    let index: ArchiveIndex
    private let file: DiskFile

    /// - Returns: Nil when the index is missing or differs from the recorded one: it must be rebuilt.
    /// - Throws: `ArchiveError`.
    init?(_ range: ArchivedRange, in directory: String) throws {
        self.range = range
        do {
            file = try DiskFile(reading: "\(directory)/\(range.file)")
            guard let index = try ArchiveIndex(path: "\(directory)/\(range.indexFile)", digest: range.indexDigest)
            else { return nil }
            self.index = index
        } catch let error as DiskError {
            throw ArchiveError(error, about: range)
        }
        guard index.first == range.first, index.events == range.last - range.first + 1 else {
            throw ArchiveError(.changed, file: range.indexFile, position: range.first)
        }
    }

    /// The record lines of events, without their line feeds. Their content is not checked here.
    ///
    /// - Parameter ordinals: Ascending, from 0 for the first event of the range.
    /// - Throws: `ArchiveError`.
    func lines(_ ordinals: [Int64]) throws -> [[UInt8]] {
        do {
            var lines: [[UInt8]] = []
            lines.reserveCapacity(ordinals.count)
            var start = 0
            while start < ordinals.count {
                var end = start + 1
                while end < ordinals.count, ordinals[end] == ordinals[end - 1] + 1 { end += 1 }
                let offsets = try index.offsets(of: ordinals[start]..<ordinals[end - 1] + 1)
                for (from, to) in zip(offsets, offsets.dropFirst()) {
                    guard to > from else { throw ArchiveError(.changed) }
                    var line = try file.read(Int(to - from), at: from)
                    guard line.popLast() == UInt8(ascii: "\n"), line.count == Int(to - from) - 1 else {
                        throw ArchiveError(.changed)
                    }
                    lines.append(line)
                }
                start = end
            }
            return lines
        } catch let error as DiskError {
            throw ArchiveError(error, about: range)
        } catch is ArchiveError {
            throw ArchiveError(.changed, file: range.file, position: range.first)
        }
    }
}
