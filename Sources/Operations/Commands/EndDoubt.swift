package import Canonical
package import Intake
import Payments
import Redaction
package import Replay

/// An operator's command to end a doubt.
package struct EndDoubt: Sendable, Hashable {
    package var ending: DoubtEnding
    /// The version that the payment must still have; nil if it may have any.
    package var version: Int64?

    /// `{"as": "declined", "evidence": "...", "reason": "..."}`, with `amount` and `expectedVersion` where they are
    /// known.
    ///
    /// - Throws: `malformed-record`, with the place of the invalid member.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["as", "evidence", "reason", "amount", "expectedVersion"])
        guard let outcome = body["as"]?.string.flatMap({ DoubtEnding.Outcome(rawValue: $0) }) else {
            let names = DoubtEnding.Outcome.allCases.map(\.rawValue).joined(separator: ", ")
            throw IntakeProblem(.malformedRecord, "`as` is one of \(names).", pointer: "/as")
        }
        let evidence = try Self.evidence(body["evidence"]?.string)
        ending = DoubtEnding(outcome, evidence: evidence, reason: try body.reason())
        if let reported = body["amount"] {
            guard let value = reported["value"]?.int64, value > 0,
                let currency = reported["currency"]?.string.flatMap({ Currency(alpha: $0) }),
                reported.object?.count == 2
            else {
                throw IntakeProblem(
                    .malformedRecord,
                    "An amount has a `value` above zero, in minor units, and a `currency`.",
                    pointer: "/amount"
                )
            }
            ending.amount = Money(value, currency)
        }
        version = try body.expectedVersion()
    }

    /// The evidence of an ending: a text of 1 to `DoubtCommands.longestEvidence` bytes, not only blanks.
    ///
    /// - Throws: `malformed-record`.
    package static func evidence(_ text: String?) throws(IntakeProblem) -> String {
        guard let text, Reason.accepts(text, mostBytes: DoubtCommands.longestEvidence), !text.utf8.contains(0) else {
            throw IntakeProblem(
                .malformedRecord,
                "What was seen, and where, is a text of 1 to \(DoubtCommands.longestEvidence) bytes.",
                pointer: "/evidence"
            )
        }
        return text
    }
}
