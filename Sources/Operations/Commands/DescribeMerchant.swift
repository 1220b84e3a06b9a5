package import Canonical
package import Intake
package import Payments
import Projections

extension MerchantDescription {
    /// `{"zone": "America/New_York", "cutoff": "04:00", "reason": "..."}`; without `cutoff`, the day begins at
    /// midnight.
    ///
    /// - Throws: `malformed-record`.
    package init(of merchant: String, reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["zone", "cutoff", "reason"])
        guard let zone = body["zone"]?.string.flatMap({ Zone($0) }) else {
            throw IntakeProblem(.malformedRecord, "A zone is as Europe/Berlin, UTC or +01:00.", pointer: "/zone")
        }
        let cutoff = body["cutoff"] ?? "00:00"
        guard let minutes = cutoff.string.flatMap({ BusinessDay.minutes($0[...]) }) else {
            throw IntakeProblem(.malformedRecord, "A cut-off is a time of day, as 04:00.", pointer: "/cutoff")
        }
        let days = BusinessDay(zone: zone, cutoffMinutes: minutes)
        self.init(merchant: merchant, zone: zone.name, cutoff: days.cutoff, reason: try body.reason())
    }
}
