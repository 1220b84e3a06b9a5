import Access
package import Canonical
package import Composition
package import EventLog
import Intake
import Payments
package import Projections

/// The newest description of a merchant.
package struct MerchantJSON: Codable, Sendable, Hashable {
    package var merchant: String
    package var zone: String
    package var cutoff: String
    package var reason: String
    package var position: Int64
    package var by: String
    package var at: Timestamp
    /// The names of the merchant in payments; nil if there is only one.
    package var names: [MerchantNameJSON]?

    /// - Parameter links: What payments name together with the merchant.
    package init(_ view: MerchantView, _ links: MerchantLinks? = nil) {
        let shown = links?.shown(beside: view.merchant.storable) ?? []
        names = shown.isEmpty ? nil : shown.map(MerchantNameJSON.init)
        merchant = view.merchant
        zone = view.zone
        cutoff = view.cutoff
        reason = view.reason
        position = view.position
        by = view.by
        at = view.at
    }
}

/// A name of a merchant in payments.
package struct MerchantNameJSON: Codable, Sendable, Hashable {
    package var name: String
    /// `sender`, `processor` or `account`.
    package var role: String
    /// True for a name of several merchants, which is counted separately; nil otherwise.
    package var ambiguous: Bool?

    init(_ shown: MerchantLinks.Shown) {
        name = shown.name
        role = shown.role
        ambiguous = shown.isAmbiguous ? true : nil
    }
}

extension Ledger {
    /// The newest description of a merchant under any of its names; nil when there is none.
    package func describedMerchant(_ name: String, of tenant: String) async throws -> MerchantJSON? {
        guard let found = try await payments.merchants.merchant(name, of: tenant) else { return nil }
        return MerchantJSON(found, try await payments.merchants.links(around: [found.merchant], of: tenant))
    }
}

/// A requested business day. Without zone and cut-off it is the merchant's, or else begins at midnight UTC.
package struct BusinessDayRequest: Sendable, Hashable {
    package var zone: Zone?
    package var cutoffMinutes: Int?

    package init(zone: Zone? = nil, cutoffMinutes: Int? = nil) {
        self.zone = zone
        self.cutoffMinutes = cutoffMinutes
    }

    /// Reads `zone` and `cutoff`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        zone = try query.value("zone", expected: "is a zone such as Europe/Berlin, UTC or +01:00") { Zone($0) }
        cutoffMinutes = try query.value("cutoff", expected: "is a time of day such as 04:00") {
            BusinessDay.minutes($0[...])
        }
    }
}

extension Ledger {
    /// The business day of a request; without zone and cut-off, the merchant's.
    ///
    /// - Parameter position: The log position of a past state, whose merchant description then counts; nil for now.
    /// - Throws: Errors of reading.
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
                    try await payments.merchants.merchant(merchant, of: tenant)
                }
            if let day = found?.day { return day }
        }
        return BusinessDay(zone: asked.zone ?? BusinessDay.standard.zone, cutoffMinutes: asked.cutoffMinutes ?? 0)
    }
}

extension MerchantView {
    /// The description that an event records.
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
