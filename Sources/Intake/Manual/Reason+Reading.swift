package import Redaction

extension Reason {
    /// Reads the reason of a request.
    ///
    /// - Parameter text: Nil if the request has none.
    /// - Throws: `noReason`.
    package init(reading text: String?) throws(IntakeProblem) {
        guard let reason = text.flatMap(Reason.init) else { throw .noReason }
        self = reason
    }
}

extension IntakeProblem {
    /// The refusal of a request whose `reason` is missing or not accepted.
    package static let noReason = IntakeProblem(
        .malformedRecord,
        "A reason is a text of 1 to \(Reason.mostBytes) bytes, not only blanks.",
        pointer: "/reason"
    )
}
