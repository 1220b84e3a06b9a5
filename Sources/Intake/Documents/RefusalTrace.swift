import Canonical
import EventLog
import Payments
import Redaction

/// The trace of a refused document.
struct RefusalTrace {
    /// The number of bytes kept of a document, after scrubbing.
    static let limit = 4096

    let refusal: IntakeRefusal
    /// The same document refused for the same reason leaves one trace.
    let identity: IdempotencyKey

    /// - Parameter occurrence: Distinguishes refusals whose documents are not known.
    init(
        _ problem: IntakeProblem,
        _ record: ScrubbedRecord,
        vendor: String,
        kind: String?,
        occurrence: String? = nil
    ) {
        let text = record.value.string ?? record.value.text
        let kept = TextScrubber().scrub(text).truncated(toBytes: Self.limit).text
        refusal = IntakeRefusal(
            vendor: TextScrubber().scrub(vendor).truncated(toBytes: 32).text,
            kind: kind.map { TextScrubber().scrub($0).truncated(toBytes: 64).text },
            code: problem.code.name,
            detail: problem.detail,
            // A document that was not read completely is not kept.
            document: occurrence == nil ? kept : nil,
            redactions: record.redactions
        )
        let key = digest(["refusal", problem.code.name, refusal.vendor, refusal.kind, problem.detail, text, occurrence])
        identity = IdempotencyKey(key: key, request: key)
    }
}

/// A record that is not accepted, and its trace.
struct RefusedDocument: Error {
    let problem: IntakeProblem
    /// Nil if nothing is recorded, because the sender may not send the document.
    let trace: RefusalTrace?

    /// A record that the sender may not send.
    init(forbidden problem: IntakeProblem) {
        self.problem = problem
        trace = nil
    }

    /// - Parameter occurrence: Distinguishes refusals whose documents are not known.
    init(
        _ problem: IntakeProblem,
        _ record: ScrubbedRecord,
        vendor: String,
        kind: String? = nil,
        occurrence: String? = nil
    ) {
        self.problem = problem
        trace = RefusalTrace(
            problem,
            record,
            vendor: vendor,
            kind: kind,
            occurrence: occurrence
        )
    }
}

extension RedactionNote {
    /// The note of a redaction in the part of a record at `pointer`.
    init(_ place: RedactedPlace, under pointer: String) {
        self.init(path: pointer + place.path, rule: place.rule.rawValue, action: place.action.rawValue)
    }
}
