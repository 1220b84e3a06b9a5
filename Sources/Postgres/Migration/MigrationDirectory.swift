internal import Foundation

/// Reads `NNNN_name/up.sql` files. Blocking file access, intended for start-up.
enum MigrationDirectory {
    static func read(_ path: String) throws(PostgresMigrationError) -> [PostgresMigration] {
        guard let entries = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw PostgresMigrationError(.unreadableDirectory)
        }
        var migrations: [PostgresMigration] = []
        for entry in entries.sorted() where !entry.hasPrefix(".") {
            let parts = entry.split(separator: "_", maxSplits: 1)
            guard parts.count == 2, parts[0].count == 4, let number = Int(parts[0]), isName(parts[1]) else {
                throw PostgresMigrationError(.unreadableDirectory)
            }
            guard let sql = try? String(contentsOfFile: "\(path)/\(entry)/up.sql", encoding: .utf8) else {
                throw PostgresMigrationError(.unreadableDirectory, number: number)
            }
            migrations.append(PostgresMigration(number: number, name: String(parts[1]), sql: sql))
        }
        return migrations
    }

    private static func isName(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_") }
    }
}
