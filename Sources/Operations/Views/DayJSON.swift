package import Canonical
import Payments
package import Projections

/// A business day with its summary.
package struct DayAnswer: Sendable {
    package var day: String
    package var days: BusinessDay
    package var start: Timestamp
    package var end: Timestamp
    package var merchant: String?
    package var summary: DaySummary

    package var json: JSONValue {
        var object: JSONObject = [
            "day": .string(day), "zone": .string(days.zone.name), "cutoff": .string(days.cutoff),
            "from": .string(start.rfc3339), "to": .string(end.rfc3339),
        ]
        object.set("merchant", merchant)
        object["count"] = .number(.init(summary.lines.reduce(0) { $0 + $1.count }))
        object["hours"] = .array(
            summary.hours.enumerated().map { index, count in
                let start = start.adding(microseconds: Int64(index) * 3_600_000_000)
                return ["from": .string(start.rfc3339), "count": .number(.init(count))]
            }
        )
        object["items"] = .array(summary.lines.map(\.json))
        object["inDoubt"] = summary.inDoubt.json
        object["openAnomalies"] = summary.openAnomalies.json
        return .object(object)
    }
}

extension DaySummary.Line {
    package var json: JSONValue {
        var object: JSONObject = ["status": .string(status), "count": .number(.init(count))]
        if let currency = currency.flatMap({ Currency(alpha: $0) }) {
            object["currency"] = .string(currency.alpha)
            object["amount"] = Money(amount, currency).json
        }
        return .object(object)
    }
}

extension DaySummary.Attention {
    package var json: JSONValue { ["count": .number(.init(count)), "more": .bool(hasMore)] }
}
