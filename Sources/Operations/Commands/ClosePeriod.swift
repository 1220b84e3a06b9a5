import Access
package import Canonical
package import Composition
import EventLog
package import Intake
import Matching
import Payments
import Projections
package import Reconciliation
package import Redaction

/// The business day to close, and the reason.
package struct ClosePeriod: Sendable, Hashable {
    package var merchant: String
    /// As `2026-03-01`.
    package var day: String
    package var reason: Reason

    /// `{"merchant": "8846", "day": "2026-03-01", "reason": "..."}`.
    ///
    /// - Throws: `malformed-record`.
    package init(reading json: JSONValue) throws(IntakeProblem) {
        let body = try CommandBody(json, members: ["merchant", "day", "reason"])
        merchant = try body.text("merchant", mostBytes: MerchantCommands.longestName)
        day = try body.text("day", mostBytes: 10)
        reason = try body.reason()
    }
}

extension Ledger {
    /// Closes a business day of a merchant: records its totals and its open exceptions.
    ///
    /// - Parameters:
    ///   - day: `2026-03-01`.
    ///   - waitLimit: How long to wait for the read models.
    /// - Throws: `PeriodCommands.Refusal`, `IntakeProblem`, `Refusal` where the read models are behind; `TotalsError`.
    package func closePeriod(
        merchant: String,
        day: String,
        reason: Reason,
        idempotencyKey: String?,
        sender: Sender,
        waitLimit: Duration
    ) async throws -> PeriodCommands.Outcome {
        try IntakeProblem.checkText(of: .string(merchant))
        // The merchant's name is recorded, so it must not be a card number.
        guard MerchantCommands.isName(merchant) else {
            throw IntakeProblem(
                .malformedRecord,
                "A merchant has 1 to 256 bytes, and no card data.",
                pointer: "/merchant"
            )
        }
        let position = try await reader.head()
        for name in ["anomalies", "batches", "merchants", "portions", "reconciliation", "statements", "transactions"] {
            guard try await readModels.wait(for: name, toReach: position, timeout: waitLimit) else {
                throw Refusal.projectionBehind()
            }
        }
        guard try await isKnown(merchant, of: sender.tenant) else {
            throw PeriodCommands.Refusal.unknownMerchant
        }
        // One business has one closing, whichever name the caller uses.
        let links = try await payments.merchants.links(around: [merchant], of: sender.tenant, at: position)
        let name = links.best(of: merchant)
        let others = links.others(of: name)
        let days = try await days(.init(), merchant: name, of: sender.tenant, at: position)
        guard let date = CivilDate(day), let interval = days.interval(of: day) else {
            throw IntakeProblem(.malformedRecord, "A day is as 2026-03-01.", pointer: "/day")
        }
        guard interval.end <= clock.now() else { throw PeriodCommands.Refusal.notOver }
        var filter = TotalsFilter()
        filter.merchant = name
        filter.occurredFrom = interval.start
        filter.occurredBefore = interval.end
        let totals = try await payments.totals.totals(
            of: sender.tenant,
            by: [.currency],
            matching: filter,
            days: days,
            at: position
        )
        let carried = try await reconciliation.query.open(
            of: sender.tenant,
            merchant: name,
            upTo: date,
            at: position,
            by: days
        )
        let closing = PeriodClosing(
            merchant: name,
            otherNames: others.isEmpty ? nil : others,
            day: day,
            zone: days.zone.name,
            cutoff: days.cutoff,
            position: position,
            totals: totals.map(PeriodTotal.init),
            carried: carried.map {
                CarriedExceptions(
                    exceptionClass: $0.exceptionClass,
                    currency: $0.currency,
                    count: $0.count,
                    amount: $0.amount
                )
            },
            reason: reason
        )
        return try await reconciliation.periodCommands.close(closing, idempotencyKey: idempotencyKey, sender: sender)
    }

    private func isKnown(_ merchant: String, of tenant: String) async throws -> Bool {
        if try await payments.merchants.isKnown(merchant, of: tenant) { return true }
        return try await reconciliation.statements.countedNames(merchant, of: tenant)
    }
}
