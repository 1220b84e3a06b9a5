import Canonical
import EventLog
import Payments
import Vendors

/// The trace a refused document leaves.
struct RefusalTrace {
    /// How much of a document is kept, in bytes, after scrubbing.
    static let limit = 4096

    let refusal: IntakeRefusal
    /// The same document refused for the same reason leaves one trace.
    let identity: IdempotencyKey

    init(_ problem: IntakeProblem, _ document: UnscrubbedDocument, vendor: String, kind: String?) {
        let scrubbed = Scrubber.trace(of: document, limit: Self.limit)
        refusal = IntakeRefusal(
            vendor: String(TextScrubber.scrub(vendor).prefix(32)),
            kind: kind.map { String(TextScrubber.scrub($0).prefix(64)) },
            code: problem.code.name,
            detail: problem.detail,
            document: scrubbed.text,
            redactions: scrubbed.redactions.map(\.note)
        )
        let key = digest(["refusal", problem.code.name, refusal.vendor, refusal.kind, problem.detail, scrubbed.text])
        identity = IdempotencyKey(key: key, request: key)
    }
}
