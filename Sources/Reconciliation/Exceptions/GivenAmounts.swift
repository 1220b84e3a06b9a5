import Canonical
import EventLog
import Intake
import Matching
import Payments

/// What operators gave up alone in the last 24 hours, read from the log: reopening an exception gives nothing back.
struct GivenAmounts: Sendable {
    private static let page = 500

    let reader: EventReader
    let clock: any WallClock

    /// The amounts of one operator in one currency, and the claims with which a further decision must be appended: of
    /// two concurrent decisions, one is decided again with the other in its sum.
    ///
    /// - Throws: The errors of reading the log.
    func earlier(
        of person: Person,
        in currency: String?,
        tenant: String
    ) async throws -> (amounts: [Int64], claims: [String]) {
        let claims = try await NumberedClaims(reader: reader).free(["given-up"], tenant: tenant)
        let since = clock.now().adding(microseconds: -MatchingRules.dailySeconds * 1_000_000)
        var filter = EventFilter()
        filter.type = ExceptionEvent.Name.resolved.rawValue
        filter.recordedFrom = since.adding(microseconds: 1)
        var amounts: [Int64] = []
        while true {
            let events = try await reader.newest(of: tenant, matching: filter, limit: Self.page)
            for event in events {
                let stored = try ExceptionEvent(
                    type: event.type,
                    schema: event.schema,
                    data: JSONValue(parsing: event.data.utf8)
                )
                guard case .resolved(let decision) = stored, decision.proposedBy == nil, let given = decision.given,
                    decision.currency == currency, Person(decision.holder) == person
                else { continue }
                amounts.append(given)
            }
            guard events.count == Self.page, let first = events.first else { return (amounts, claims) }
            filter.upTo = first.position - 1
        }
    }
}
