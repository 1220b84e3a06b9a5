/// Sums by scope: by payment, batch or currency. The last scope is found without looking it up, as lines of one scope
/// mostly stand together.
struct ScopedSums<Key: Hashable & Sendable, Sums: Sendable>: Sendable {
    /// More payments or batches than any real file has; a file with more is made to fill memory.
    static var limit: Int { 1 << 18 }

    private var positions: [Key: Int] = [:]
    private(set) var entries: [(key: Key, sums: Sums)] = []
    private var last = -1

    var isEmpty: Bool { entries.isEmpty }

    /// - Throws: `.tooLarge` where there are too many scopes.
    mutating func update(
        _ key: Key,
        line: Int,
        initial: @autoclosure () -> Sums,
        _ change: (inout Sums) -> Void
    ) throws(StatementProblem) {
        if last < 0 || entries[last].key != key {
            if let position = positions[key] {
                last = position
            } else {
                guard entries.count < Self.limit else {
                    throw StatementProblem(
                        .tooLarge,
                        line: line,
                        "The file has more payments or batches than are read."
                    )
                }
                positions[key] = entries.count
                last = entries.count
                entries.append((key, initial()))
            }
        }
        change(&entries[last].sums)
    }

    subscript(key: Key) -> Sums? { positions[key].map { entries[$0].sums } }

    mutating func removeAll() {
        positions = [:]
        entries = []
        last = -1
    }
}

/// Counts rows that foot, and reports those that do not.
struct RowChecks: Sendable {
    /// Rows that could be checked.
    private(set) var count: Int64 = 0
    private(set) var held: Int64 = 0

    /// Compares what a row states with what its own parts come to. A row that does not foot is a control of its own.
    mutating func check(
        _ name: String,
        stated: Int64,
        sum: Int128,
        of line: StatementLine,
        into sink: StatementSink
    ) throws {
        count += 1
        if Int128(stated) == sum {
            held += 1
        } else {
            try sink(
                .control(
                    StatementControl(
                        .total,
                        name,
                        scope: "line \(line.line)",
                        stated: stated,
                        sum: sum,
                        currency: line.currency,
                        line: line.line
                    )
                )
            )
        }
    }

    /// How many rows foot of how many there are. Nothing where none could be checked.
    func report(_ name: String, scope: String = "file", line: Int, into sink: StatementSink) throws {
        guard count > 0 else { return }
        try sink(.control(StatementControl(.count, name, scope: scope, stated: count, computed: held, line: line)))
    }
}

/// Notes once per code what no rule is known for.
struct UnknownCodes: Sendable {
    private static let limit = 64
    private var seen: Set<String> = []

    mutating func note(_ code: String, line: Int, _ what: String, into sink: StatementSink) throws {
        guard seen.count < Self.limit, seen.insert(code).inserted else { return }
        let shown = CardDigits.masked(Array(code.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } ?? code
        try sink(.note(StatementNote(.unknownCode, line: line, "\(what) \(shown.prefix(64))")))
    }
}
