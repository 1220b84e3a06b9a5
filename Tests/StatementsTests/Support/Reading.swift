import Foundation
import Statements
import Testing

/// The items read from a file.
struct Reading {
    var items: [StatementItem] = []

    var lines: [StatementLine] {
        items.compactMap { if case .line(let line) = $0 { line } else { nil } }
    }

    var controls: [StatementControl] {
        items.compactMap { if case .control(let control) = $0 { control } else { nil } }
    }

    var notes: [StatementNote] {
        items.compactMap { if case .note(let note) = $0 { note } else { nil } }
    }

    var sections: [StatementSection] {
        items.compactMap { if case .section(let section) = $0 { section } else { nil } }
    }

    /// The names of the controls that do not hold.
    var failing: [String] { controls.filter { !$0.holds }.map(\.name) }

    func control(_ name: String, scope: String? = nil) -> StatementControl? {
        controls.first { $0.name == name && (scope == nil || $0.scope == scope) }
    }

    /// Reads everything at once, or in pieces of a size.
    init(
        _ format: StatementFormat,
        _ bytes: some Sequence<UInt8>,
        options: StatementOptions = StatementOptions(),
        piece: Int? = nil
    ) throws {
        var reader = format.reader(options)
        let bytes = Array(bytes)
        var start = 0
        var items: [StatementItem] = []
        while start < bytes.count {
            let end = min(bytes.count, start + (piece ?? bytes.count))
            try reader.read(bytes[start..<end]) { items.append($0) }
            start = end
        }
        try reader.finish { items.append($0) }
        self.items = items
    }

    init(_ format: StatementFormat, _ text: String, options: StatementOptions = StatementOptions()) throws {
        try self.init(format, Array(text.utf8), options: options)
    }
}

/// The problem of a file; nil if it has none.
func problem(
    _ format: StatementFormat,
    _ text: String,
    options: StatementOptions = StatementOptions()
) throws -> StatementProblem? {
    do {
        _ = try Reading(format, text, options: options)
        return nil
    } catch let problem as StatementProblem {
        return problem
    }
}

/// Third-party files that are used if they are available and never part of this repository.
enum ThirdParty {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/fixtures")

    static let isThere = FileManager.default.fileExists(atPath: directory.path)

    static func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: directory.appendingPathComponent(name)))
    }
}
