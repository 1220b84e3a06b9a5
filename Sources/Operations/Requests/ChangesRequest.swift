import Access
import Canonical
import EventLog
package import Ledger
package import Matching
import Payments
package import Projections
import Tables

/// The positions to compare, and the page.
package struct ChangesRequest {
    package var from: Int64?
    package var to: Int64?
    package var limit: Int?
    package var cursor: ChangesCursor?

    /// Reads `from_position`, `to_position`, `limit` and `cursor`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        from = try query.integer("from_position", in: 0...Int64.max)
        to = try query.integer("to_position", in: 0...Int64.max)
        if let from, let to, from > to { throw ParameterReader.invalid("to_position", "is not before from_position") }
        limit = try query.givenLimit()
        guard let text = try query.cursor() else { return }
        guard let cursor = ChangesCursor(text) else { throw Cursor.invalid }
        self.cursor = cursor
    }
}

/// The scope of changes: one business day, one merchant, or both.
package struct ChangesScope: Sendable, Hashable {
    package var merchant: String?
    /// As `2026-03-01`.
    package var day: String?
    package var days: BusinessDayRequest

    package init(merchant: String? = nil, day: String? = nil, days: BusinessDayRequest = .init()) {
        self.merchant = merchant
        self.day = day
        self.days = days
    }

    /// The closed day, in the zone and with the cut-off of its closing.
    package init(_ closing: PeriodClosing) {
        let days = BusinessDayRequest(zone: Zone(closing.zone), cutoffMinutes: BusinessDay.minutes(closing.cutoff[...]))
        self.init(merchant: closing.merchant, day: closing.day, days: days)
    }

    /// Reads `merchant`, `day`, `zone` and `cutoff`.
    package init(_ query: inout ParameterReader) throws(Refusal) {
        merchant = try query.text("merchant")
        days = try BusinessDayRequest(&query)
        // A valid date is valid in every zone.
        day = try query.value("day", expected: "is a day, as 2026-03-01") {
            BusinessDay.standard.interval(of: $0) == nil ? nil : $0
        }
    }
}

extension Ledger {
    /// The comparison of the scope. The merchant's business days are those described at the later position, so that all
    /// pages are of the same day.
    ///
    /// - Throws: Errors of reading.
    package func narrowed(
        _ comparison: BatchComparison,
        to scope: ChangesScope,
        of tenant: String
    ) async throws -> (comparison: BatchComparison, days: BusinessDay) {
        var narrowed = comparison
        narrowed.merchant = scope.merchant
        let days = try await days(scope.days, merchant: scope.merchant, of: tenant, at: comparison.to)
        let interval = scope.day.flatMap(days.interval)
        narrowed.occurredFrom = interval?.start
        narrowed.occurredBefore = interval?.end
        return (narrowed, days)
    }
}
