import Canonical

/// The payments of one vendor, or with one fault or trouble.
package struct ScoreGroup: Sendable, Hashable {
    /// `vendor`, `fault`, `trouble`, or `none` for payments with neither of the last two.
    package var kind: String
    package var name: String
    package var payments = 0
    /// Those without a mismatch.
    package var right = 0

    init(kind: String, name: String) {
        self.kind = kind
        self.name = name
    }

    var json: JSONValue {
        [
            "kind": .string(kind), "name": .string(name), "payments": .number(.init(Int64(payments))),
            "right": .number(.init(Int64(right))),
        ]
    }
}
