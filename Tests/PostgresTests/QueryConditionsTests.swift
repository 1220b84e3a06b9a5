import Canonical
import Postgres
import Testing

@Suite struct QueryConditionsTests {
    @Test func aConditionNamesItsParameter() {
        var conditions = QueryConditions(["tenant = $1"], [.text("acme")])
        let at = conditions.parameter(.int64(7))
        conditions.add("position <= \(at)")
        conditions.add("merchant =", text: "8846")
        conditions.add("day >=", text: "2026-03-01", as: "::text::date")
        conditions.add("amount <", .int64(5))
        #expect(
            conditions.sql
                == "tenant = $1 AND position <= $2 AND merchant = $3 AND day >= $4::text::date AND amount < $5"
        )
        #expect(conditions.parameters == [.text("acme"), .int64(7), .text("8846"), .text("2026-03-01"), .int64(5)])
    }

    @Test func aMissingValueIsNoCondition() {
        var conditions = QueryConditions(["tenant = $1"], [.text("acme")])
        conditions.add("merchant =", text: nil)
        conditions.add("amount <", nil)
        #expect(conditions.sql == "tenant = $1" && conditions.parameters == [.text("acme")])
    }
}
