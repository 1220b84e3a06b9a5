import Canonical
import DaybookTestKit
import EventLog
import Payments
import Postgres
import Testing

@testable import Projections

/// The read model of taxes and health-care portions.
struct PortionsTests {
    /// The taxes are those of the captures, whether a report names each of them or only their sum. A void of a whole
    /// line takes them along, a void of a part leaves them.
    @Test func portionsAreThoseOfTheLinesThatAreNotVoided() async throws {
        try await Following.with { following in
            var care = HealthCare()
            (care.amount, care.dental) = (Samples.usd(600), Samples.usd(150))
            var stated = Circumstances()
            stated.healthCare = care
            func sale(_ total: Int64, _ number: Int, then later: [TransactionEvent] = []) async throws {
                var facts = Samples.sale(total)
                facts[1] = .saleRequested(
                    PaymentRequest(
                        amounts: Samples.taxed(Amounts(total: Samples.usd(total))),
                        circumstances: number == 1 ? stated : nil
                    )
                )
                var capture = Samples.capture(Capture.saleID, total)
                capture.amounts = Samples.taxed(capture.amounts)
                facts[3] = .captured(capture)
                try await following.log.record(facts + later, about: Samples.id(number))
            }
            try await sale(1001, 1)
            try await sale(1002, 2)
            try await sale(1003, 3, then: [.voided(Samples.taken("v", 500))])
            try await sale(2001, 4)
            try await following.catchUp(["batches", "portions"])
            let head = try await following.log.reader.head()
            try await following.log.record([.voided(Samples.taken("v", nil))], about: Samples.id(4))
            try await following.catchUp(["batches", "portions"])
            let totals = TotalsQuery(pool: following.log.pool)
            func shown(_ position: Int64?) async throws -> [String] {
                let rows = try await totals.totals(of: "acme", by: [.vendor], at: position)
                return rows.flatMap(\.portions).map { "\($0.kind.rawValue) \($0.label ?? "-") \($0.amount)" }
            }
            let care1 = ["health-care Dental 150", "health-care Health care 600"]
            #expect(try await shown(nil) == care1 + ["tax - 150", "tax City Tax 50", "tax State Tax 100"])
            #expect(try await shown(head) == care1 + ["tax - 150", "tax City Tax 150", "tax State Tax 200"])
            let live = try await ProjectionStore(projection: PortionsProjection(), pool: following.log.pool).digest()
            _ = try await following.rebuild("portions", force: true)
            #expect(
                try await ProjectionStore(projection: PortionsProjection(), pool: following.log.pool).digest() == live
            )
        }
    }
}
