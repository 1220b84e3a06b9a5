import Foundation

/// A program that reads exports of the journal. `ops/setup` installs them.
package enum AccountingProgram: String, Sendable, CaseIterable {
    /// Beancount, of PyPI.
    case beancount
    /// hledger, of Debian.
    case hledger

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    private var path: String {
        switch self {
        case .beancount: Self.root.appending(path: ".build/accounting-tools/bin/bean-check").path
        case .hledger: "/usr/bin/hledger"
        }
    }

    private var arguments: [String] {
        switch self {
        case .beancount: []
        // Accounts and commodities are declared, and entries balance without prices. Days are in the order of positions,
        // so `ordereddates` does not apply.
        case .hledger: ["check", "--strict", "-f"]
        }
    }

    /// Checks a file.
    ///
    /// - Returns: Nil if the program is not installed.
    package func check(_ file: String) async throws -> ChildProgram? {
        guard FileManager.default.isExecutableFile(atPath: path) else { return nil }
        // hledger reads files in the encoding of the locale.
        return try await ChildProgram.run(path, arguments + [file], environment: ["LC_ALL": "C.UTF-8"])
    }
}
