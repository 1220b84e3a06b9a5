package import Canonical
package import Composition
package import Payments
package import Projections

/// A business day with its summary.
package struct DayAnswer: Sendable {
    package var day: String
    package var days: BusinessDay
    package var start: Timestamp
    package var end: Timestamp
    package var merchant: String?
    package var summary: DaySummary
}

package struct DayJSON: Codable, Sendable, Hashable {
    package struct Hour: Codable, Sendable, Hashable {
        package var from: Timestamp
        package var count: Int64
    }

    /// The payments with one status, in one currency.
    package struct Line: Codable, Sendable, Hashable {
        package var status: String
        package var count: Int64
        package var currency: Currency?
        package var amount: Money?

        package init(_ line: DaySummary.Line) {
            status = line.status
            count = line.count
            currency = line.currency.flatMap { Currency(alpha: $0) }
            amount = currency.map { Money(line.amount, $0) }
        }
    }

    /// A count up to a limit.
    package struct Attention: Codable, Sendable, Hashable {
        package var count: Int64
        package var more: Bool

        package init(_ attention: DaySummary.Attention) {
            count = attention.count
            more = attention.hasMore
        }
    }

    package var day: String
    package var zone: String
    package var cutoff: String
    package var from: Timestamp
    package var to: Timestamp
    package var merchant: String?
    package var count: Int64
    package var hours: [Hour]
    package var items: [Line]
    package var inDoubt: Attention
    package var openAnomalies: Attention

    package init(_ answer: DayAnswer) {
        day = answer.day
        zone = answer.days.zone.name
        cutoff = answer.days.cutoff
        from = answer.start
        to = answer.end
        merchant = answer.merchant
        count = answer.summary.lines.reduce(0) { $0 + $1.count }
        hours = answer.summary.hours.enumerated().map { index, count in
            Hour(from: answer.start.adding(microseconds: Int64(index) * 3_600_000_000), count: count)
        }
        items = answer.summary.lines.map(Line.init)
        inDoubt = Attention(answer.summary.inDoubt)
        openAnomalies = Attention(answer.summary.openAnomalies)
    }
}

extension Ledger {
    /// A business day of a tenant or of one merchant; nil for an invalid day.
    ///
    /// - Throws: `TotalsError.overflow`; errors of reading.
    package func day(
        _ day: String,
        of tenant: String,
        _ days: BusinessDay,
        merchant: String? = nil
    ) async throws -> DayAnswer? {
        guard let span = days.interval(of: day) else { return nil }
        let summary = try await payments.days.summary(
            of: tenant,
            from: span.start,
            to: span.end,
            in: days.zone,
            merchant: merchant
        )
        return DayAnswer(
            day: day,
            days: days,
            start: span.start,
            end: span.end,
            merchant: merchant,
            summary: summary
        )
    }
}
