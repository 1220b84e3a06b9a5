/// Sums by scope: by payment, batch or currency. The last scope is kept at hand, because lines of one scope are mostly
/// adjacent.
struct ScopedSums<Key: Hashable & Sendable, Sums: Sendable>: Sendable {
    /// More payments or batches than any real file has; a file with more is meant to exhaust the memory.
    static var limit: Int { 1 << 18 }

    private var positions: [Key: Int] = [:]
    private(set) var entries: [(key: Key, sums: Sums)] = []
    private var last = -1

    var isEmpty: Bool { entries.isEmpty }

    /// - Throws: `.tooLarge` if there are too many scopes.
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

/// Counts rows that add up, and reports those that do not.
struct RowChecks: Sendable {
    /// The number of rows that could be checked.
    private(set) var count: Int64 = 0
    private(set) var held: Int64 = 0

    /// Compares a value stated in a row with the sum of the row's parts. A row that does not add up is reported as a
    /// separate control.
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

    /// Reports how many of the checked rows add up. Reports nothing if none could be checked.
    func report(_ name: String, scope: String = "file", line: Int, into sink: StatementSink) throws {
        guard count > 0 else { return }
        try sink(.control(StatementControl(.count, name, scope: scope, stated: count, computed: held, line: line)))
    }
}

/// Notes each code without a rule once.
struct UnknownCodes: Sendable {
    private static let limit = 64
    private var seen: Set<String> = []

    mutating func note(_ code: String, line: Int, _ what: String, into sink: StatementSink) throws {
        guard seen.count < Self.limit, seen.insert(code).inserted else { return }
        let shown = CardDigits.masked(Array(code.utf8)[...]).map { String(decoding: $0, as: UTF8.self) } ?? code
        try sink(.note(StatementNote(.unknownCode, line: line, "\(what) \(shown.prefix(64))")))
    }
}
