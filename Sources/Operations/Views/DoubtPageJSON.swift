package import Payments
package import Projections

/// A page of doubts, with the value at risk of all matches.
package typealias DoubtPageJSON = Joined<DoubtTotalsJSON, PageJSON<DoubtJSON>>

package struct DoubtTotalsJSON: Codable, Sendable, Hashable {
    /// One for each currency.
    package var totals: [ValueAtRiskJSON]

    package init(_ totals: [ValueAtRisk]) { self.totals = totals.map(ValueAtRiskJSON.init) }
}

/// The number of payments in doubt in one currency, and the sum of their values.
package struct ValueAtRiskJSON: Codable, Sendable, Hashable {
    package var count: Int64
    package var atRisk: Money

    package init(_ risk: ValueAtRisk) {
        count = risk.count
        atRisk = Money(risk.value, risk.currency)
    }
}
