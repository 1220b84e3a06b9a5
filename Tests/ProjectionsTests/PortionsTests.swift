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

    private static func portions(_ facts: [TransactionEvent]) -> [String] {
        var state = TransactionState()
        for fact in facts { Lifecycle.evolve(&state, fact) }
        return Portion.portions(of: state).map { "\($0.line) \($0.kind.rawValue) \($0.label) \($0.amount)" }
    }

    private static func request(_ total: Int64, taxed: Bool, _ care: HealthCare? = nil) -> TransactionEvent {
        let amounts = Amounts(total: Samples.usd(total))
        var circumstances = Circumstances()
        circumstances.healthCare = care
        let request = PaymentRequest(amounts: taxed ? Samples.taxed(amounts) : amounts, circumstances: circumstances)
        return .saleRequested(request)
    }

    /// Later reports of the same amount often state only the total.
    @Test func theTaxesOfTheRequestAreThoseOfItsOnlyCapture() {
        let request = Self.request(1001, taxed: true)
        let approval = TransactionEvent.authorizationApproved(Samples.approval(1001))
        let capture = TransactionEvent.captured(Samples.capture(Capture.saleID, 1001))
        var tipped = Samples.capture(Capture.saleID, 1201)
        tipped.amounts.tip = Samples.usd(200)
        let taxes = Self.portions([request, capture])
        #expect(taxes.count == 2 && taxes.allSatisfy { $0.hasPrefix("capture:sale tax ") })
        for facts in [
            [request, approval, capture], [capture, approval, request], [request, approval, .captured(tipped)],
        ] {
            #expect(Self.portions(facts) == taxes, "\(facts.map(\.type))")
        }
        // A part of the payment has none of its taxes.
        #expect(Self.portions([request, approval, .captured(Samples.capture("1", 400))]).isEmpty)
    }

    @Test func portionsOfHealthCareAreInsideOneCapture() {
        var care = HealthCare()
        (care.amount, care.dental, care.transit) = (Samples.usd(600), Samples.usd(150), Samples.usd(50))
        let request = Self.request(1000, taxed: false, care)
        func portions(_ amounts: [Int64]) -> [String] {
            Self.portions([request] + amounts.enumerated().map { .captured(Samples.capture("\($0)", $1)) })
        }
        let stated = ["Health care 600", "Transit 50", "Dental 150"]
        #expect(portions([650]) == stated.map { "capture:0 health-care \($0)" })
        #expect(portions([300, 700]) == stated.map { "capture:1 health-care \($0)" })
        #expect(portions([700, 800]) == stated.map { "capture:0 health-care \($0)" })
        // The report states more than was taken.
        #expect(portions([649]).isEmpty)
    }
}
