package import Canonical
package import Intake
import Payments
package import Projections
package import Redaction

/// Where a merchant is and when its day begins.
package struct DescribeMerchant: Sendable, Hashable {
    package var days: BusinessDay
    package var reason: Reason

    /// `{"zone": "America/New_York", "cutoff": "04:00", "reason": "..."}`; without `cutoff`, the day begins at
    /// midnight.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["zone", "cutoff", "reason"])
        guard let zone = body["zone"]?.string.flatMap({ Zone($0) }) else {
            throw IntakeProblem(.malformedRecord, "A zone is as Europe/Berlin, UTC or +01:00.", pointer: "/zone")
        }
        let cutoff = body["cutoff"] ?? "00:00"
        guard let minutes = cutoff.string.flatMap({ BusinessDay.minutes($0[...]) }) else {
            throw IntakeProblem(.malformedRecord, "A cut-off is a time of day, as 04:00.", pointer: "/cutoff")
        }
        days = BusinessDay(zone: zone, cutoffMinutes: minutes)
        reason = try body.reason()
    }
}
