/// Why no gateway may be called, although the log is proven.
package struct CallHold: Error, Sendable, Hashable {
    /// Stable.
    package var code: String
    package var detail: String

    package init(code: String, detail: String) {
        self.code = code
        self.detail = detail
    }

    /// Before the first check.
    package static let unchecked = CallHold(
        code: "database-unchecked",
        detail: "The clock and the settings of the database have not been checked yet."
    )

    /// The call was decided before the log was adopted, and recorded afterwards.
    package static let otherEpoch = CallHold(
        code: "log-unproven",
        detail: "The log was adopted after the call had been decided."
    )

    /// The time of the record is not the time of the call.
    package static let clockWasSet = CallHold(
        code: "clock-differs",
        detail: "The clock of this service was set while the call was recorded."
    )

    /// The database did not answer the check.
    package static let unanswered = CallHold(
        code: "database-unchecked",
        detail: "The clock and the settings of the database could not be checked."
    )
}
