import DaybookTestKit
import Foundation

/// The Git checkout that was built.
struct Checkout: Sendable {
    /// A directory of it.
    let directory: String

    /// The short hash of the last commit that changed `Sources`; nil outside of Git.
    func commit() async throws -> String? {
        let hash = try await git("log", "-1", "--format=%h", "--abbrev=8", "--", ":/Sources")
        return hash.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The files that are measured and not committed.
    func changes() async throws -> String? {
        try await git("status", "--porcelain", "--", ":/Sources", ":/Benchmarks", ":/Package.swift")
    }

    private func git(_ arguments: String...) async throws -> String? {
        let result = try await ChildProgram.run("/usr/bin/env", ["git", "-C", directory] + arguments)
        return result.succeeded ? result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines) : nil
    }
}
