import Access
package import Canonical
package import EventLog
import Intake
package import Ledger
import Payments
package import Projections

extension MerchantView {
    package var json: JSONValue {
        [
            "merchant": .string(merchant), "zone": .string(zone), "cutoff": .string(cutoff),
            "reason": .string(reason), "position": .number(.init(position)), "by": .string(by),
            "at": .string(at.rfc3339),
        ]
    }
}

/// A business day as it is asked for: what is left out is the merchant's own, else midnight in UTC.
package struct BusinessDayRequest: Sendable, Hashable {
    package var zone: Zone?
    package var cutoffMinutes: Int?

    package init(zone: Zone? = nil, cutoffMinutes: Int? = nil) {
        self.zone = zone
        self.cutoffMinutes = cutoffMinutes
    }

    /// Reads `zone` and `cutoff`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        zone = try query.value("zone", expected: "is as Europe/Berlin, UTC or +01:00") { Zone($0) }
        cutoffMinutes = try query.value("cutoff", expected: "is a time of day, as 04:00") {
            BusinessDay.minutes($0[...])
        }
    }
}

extension Ledger {
    /// The business day that is meant: the one asked for; where neither zone nor cut-off is, the merchant's own.
    ///
    /// - Parameter position: Of an answer about the past, which is by what had been said then; nil for now.
    /// - Throws: What reading throws.
    package func days(
        _ asked: BusinessDayRequest,
        merchant: String?,
        of tenant: String,
        at position: Int64? = nil
    ) async throws -> BusinessDay {
        if asked == BusinessDayRequest(), let merchant {
            let found =
                if let position {
                    try await self.merchant(merchant, of: tenant, at: .position(position))
                } else {
                    try await merchants.merchant(merchant, of: tenant)
                }
            if let day = found?.day { return day }
        }
        return BusinessDay(zone: asked.zone ?? BusinessDay.standard.zone, cutoffMinutes: asked.cutoffMinutes ?? 0)
    }
}

extension MerchantView {
    /// What an event says.
    package init(_ event: RecordedEvent) throws {
        let data = try JSONValue(parsing: event.data.utf8)
        guard
            case .merchantDescribed(let reported) = try TenantEvent(type: event.type, schema: event.schema, data: data)
        else { throw Refusal.internal }
        self.init(
            merchant: reported.merchant,
            zone: reported.zone,
            cutoff: reported.cutoff,
            reason: reported.reason,
            position: event.position,
            by: event.actor,
            at: event.recordedAt
        )
    }
}
