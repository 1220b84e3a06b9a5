/// The prepared statements of one session by their text, bounded; the least recently used one is discarded first.
struct StatementCache {
    struct Statement: Sendable, Hashable {
        let name: String
        /// The parameter types the server chose.
        let parameterTypes: [UInt32]
    }

    private struct Entry {
        var statement: Statement
        var lastUse: UInt64
    }

    private let limit: Int
    private var entries: [String: Entry] = [:]
    private var clock: UInt64 = 0
    private var nextName: UInt64 = 0
    /// Names of statements that the server still holds although they are no longer used.
    private(set) var discarded: [String] = []

    init(limit: Int) {
        precondition(limit > 0, "a session prepares at least one statement")
        self.limit = limit
    }

    var count: Int { entries.count }

    mutating func makeName() -> String {
        nextName += 1
        return "s\(nextName)"
    }

    /// The statement prepared for `sql`, unless its parameter types differ from those of `parameters`.
    mutating func find(_ sql: String, parameters: EncodedParameters) -> Statement? {
        guard let entry = entries[sql] else { return nil }
        guard parameters.fits(entry.statement.parameterTypes) else {
            remove(sql)
            return nil
        }
        clock += 1
        entries[sql]?.lastUse = clock
        return entry.statement
    }

    mutating func insert(_ statement: Statement, for sql: String) {
        remove(sql)
        // Linear, but only when a statement is prepared, which costs a round trip anyway.
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            remove(oldest.key)
        }
        clock += 1
        entries[sql] = Entry(statement: statement, lastUse: clock)
    }

    mutating func remove(_ sql: String) {
        if let entry = entries.removeValue(forKey: sql) { discarded.append(entry.statement.name) }
    }

    /// Called when the server has dropped all discarded statements.
    mutating func forgetDiscarded() {
        discarded.removeAll(keepingCapacity: true)
    }
}
