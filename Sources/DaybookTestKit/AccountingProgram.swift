import Foundation

/// A program that reads exports of the journal. `ops/setup` installs them.
package enum AccountingProgram: String, Sendable, CaseIterable {
    /// Beancount and its bean-query, of PyPI.
    case beancount
    /// hledger 1.24 or later, of Debian.
    case hledger

    private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    /// `make ci` needs both programs. Elsewhere tests do without one that is not installed.
    private static let isRequired = ProcessInfo.processInfo.environment["DAYBOOK_TEST_ACCOUNTING"] == "required"

    /// Checks a file.
    ///
    /// - Returns: Nil if the program is not installed.
    /// - Throws: `TestKitError` if it is not installed and required.
    package func check(_ file: String) async throws -> ChildProgram? {
        switch self {
        case .beancount: try await run("bean-check", [file])
        // Accounts and commodities are declared, and entries balance without prices. Days are in the order of positions,
        // so `ordereddates` does not apply.
        case .hledger: try await run("hledger", ["check", "--strict", "-f", file])
        }
    }

    /// The program's own report of a file: CSV with a heading, and a row for each account and currency.
    ///
    /// - Returns: Nil if the program is not installed.
    /// - Throws: `TestKitError` if it is not installed and required.
    package func balances(_ file: String) async throws -> ChildProgram? {
        switch self {
        case .beancount:
            try await run(
                "bean-query",
                [
                    "-f", "csv", file,
                    "SELECT account, currency, sum(number) AS balance GROUP BY account, currency",
                ]
            )
        case .hledger:
            try await run(
                "hledger",
                ["balance", "--flat", "--no-total", "--layout=bare", "-O", "csv", "-f", file]
            )
        }
    }

    private func run(_ name: String, _ arguments: [String]) async throws -> ChildProgram? {
        let path =
            switch self {
            case .beancount: Self.root.appending(path: ".build/accounting-tools/bin/\(name)").path
            case .hledger: "/usr/bin/\(name)"
            }
        guard FileManager.default.isExecutableFile(atPath: path) else {
            if Self.isRequired { throw TestKitError("\(path) is not installed: run `make setup`") }
            return nil
        }
        // hledger reads files in the encoding of the locale.
        return try await ChildProgram.run(path, arguments, environment: ["LC_ALL": "C.UTF-8"])
    }
}
