import Canonical
import DaybookTestKit
import Payments
import Replay
import Testing
import Vendors

/// The rules by which a found transaction counts as the payment, one by one.
@Suite("Comparison of found transactions with the payment") struct SoughtPaymentTests {
    enum Expected: Sendable { case same, unproven, another }

    struct Row: Sendable, CustomTestStringConvertible {
        var what: String
        var sought: SoughtPayment
        var found: FoundPayment
        var expected: Expected
        var testDescription: String { what }

        init(_ what: String, _ sought: SoughtPayment, _ found: FoundPayment, _ expected: Expected) {
            self.what = what
            self.sought = sought
            self.found = found
            self.expected = expected
        }
    }

    private static func usd(_ cents: Int64) -> Money { Money(cents, .usd) }
    private static func total(_ cents: Int64, tip: Int64? = nil, fee: Int64? = nil) -> Amounts {
        Amounts(total: usd(cents), tip: tip.map(usd), fee: fee.map(usd))
    }
    private static let noon = Timestamp(rfc3339: "2026-03-01T12:00:00Z") ?? .earliest
    /// The local time that a clock in UTC showed so many seconds before.
    private static func local(_ seconds: Int64) -> ReportedTime { .local(LocalTime(shown: before(seconds))) }

    private static func before(_ seconds: Int64) -> Timestamp { noon.adding(microseconds: -seconds * 1_000_000) }

    private static func sought(_ name: LookupProof, _ cents: Int64? = 1_250) -> SoughtPayment {
        SoughtPayment(
            name,
            requested: cents.map(usd),
            lastFour: "1111",
            begunAt: noon,
            invoice: "INV1",
            batch: "12",
            account: "320001"
        )
    }

    private static func with(_ sought: SoughtPayment, _ change: (inout SoughtPayment) -> Void) -> SoughtPayment {
        var sought = sought
        change(&sought)
        return sought
    }

    static let amounts: [Row] = [
        Row("same amounts", sought(.reusable), FoundPayment(requested: usd(1_250), approved: total(1_250)), .same),
        Row("declined: what was asked for", sought(.reusable), FoundPayment(requested: usd(1_250)), .same),
        Row("approved alone", sought(.reusable), FoundPayment(approved: total(1_250)), .same),
        Row("a part", sought(.reusable), FoundPayment(requested: usd(1_250), approved: total(1_000)), .same),
        Row("less, and nothing of what was asked", sought(.reusable), FoundPayment(approved: total(1_000)), .another),
        Row("less, by its own name", sought(.own), FoundPayment(approved: total(1_000)), .same),
        Row("less, by the vendor's id", sought(.vendors), FoundPayment(approved: total(1_000)), .same),
        Row("another asked for", sought(.own), FoundPayment(requested: usd(1_251)), .another),
        Row("more approved", sought(.own), FoundPayment(requested: usd(1_250), approved: total(1_251)), .another),
        Row("more approved, by its id", sought(.vendors), FoundPayment(approved: total(1_251)), .another),
        Row("a tip on top", sought(.reusable), FoundPayment(approved: total(1_450, tip: 200)), .same),
        Row("a fee on top", sought(.reusable), FoundPayment(approved: total(1_300, fee: 50)), .same),
        Row("tip and fee on top", sought(.reusable), FoundPayment(approved: total(1_500, tip: 200, fee: 50)), .same),
        Row("another tip on top", sought(.reusable), FoundPayment(approved: total(1_450, tip: 100)), .another),
        Row(
            "the base of a payment with a tip",
            with(sought(.reusable)) { $0.parts = [usd(250)] },
            FoundPayment(requested: usd(1_000), approved: total(1_250)),
            .same
        ),
        Row(
            "another currency",
            sought(.own),
            FoundPayment(approved: Amounts(total: Money(1_250, .eur))),
            .another
        ),
        Row("no amount, by its own name", sought(.own), FoundPayment(), .same),
        Row("no amount, by the vendor's id", sought(.vendors), FoundPayment(), .same),
        Row("no amount, by an invoice", sought(.reusable), FoundPayment(lastFour: "1111", invoice: "INV1"), .unproven),
        Row("an unknown amount", sought(.reusable, nil), FoundPayment(requested: usd(1_250)), .unproven),
        Row(
            "an approved one that was captured",
            with(sought(.vendors)) { $0.isApproved = true },
            FoundPayment(requested: usd(1_250), approved: total(1_400)),
            .same
        ),
        Row(
            "an approved one, by a name used again",
            with(sought(.reusable)) { $0.isApproved = true },
            FoundPayment(approved: total(1_400)),
            .another
        ),
        Row(
            "an amount changed by a follow-up",
            with(sought(.reusable)) { $0.totals = [1_400] },
            FoundPayment(approved: total(1_400)),
            .same
        ),
    ]

    private static func agreeing(_ change: (inout FoundPayment) -> Void) -> FoundPayment {
        var found = FoundPayment(
            requested: usd(1_250),
            approved: total(1_250),
            lastFour: "1111",
            at: .instant(noon),
            invoice: "INV1",
            batch: "12",
            account: "320001"
        )
        change(&found)
        return found
    }

    static let others: [Row] = [
        Row("everything agrees", sought(.reusable), agreeing { _ in }, .same),
        Row("another card", sought(.reusable), agreeing { $0.lastFour = "1112" }, .another),
        Row("another card, by the vendor's id", sought(.vendors), agreeing { $0.lastFour = "1112" }, .another),
        // It was paid with the token, whatever card was reported before.
        Row("another card, by its own name", sought(.own), agreeing { $0.lastFour = "1112" }, .same),
        Row("no card", sought(.reusable), agreeing { $0.lastFour = nil }, .same),
        Row("an unknown card", with(sought(.reusable)) { $0.lastFour = nil }, agreeing { _ in }, .same),
        Row("another account", sought(.own), agreeing { $0.account = "320002" }, .another),
        Row("no account", sought(.reusable), agreeing { $0.account = nil }, .same),
        Row("another invoice", sought(.reusable), agreeing { $0.invoice = "INV2" }, .another),
        Row("another invoice, by the vendor's id", sought(.vendors), agreeing { $0.invoice = "INV2" }, .same),
        Row("another batch", sought(.reusable), agreeing { $0.batch = "13" }, .another),
        Row("an unknown batch", with(sought(.reusable)) { $0.batch = nil }, agreeing { _ in }, .same),
        Row("a wrong clock", sought(.reusable), agreeing { $0.at = .instant(before(300)) }, .same),
        Row("before that", sought(.reusable), agreeing { $0.at = .instant(before(301)) }, .another),
        Row("without a zone, west of UTC", sought(.reusable), agreeing { $0.at = local(12 * 3_600 + 300) }, .same),
        Row("without a zone, before that", sought(.reusable), agreeing { $0.at = local(12 * 3_600 + 301) }, .another),
        Row("before that, by the vendor's id", sought(.vendors), agreeing { $0.at = local(86_400) }, .another),
        Row("later", sought(.reusable), agreeing { $0.at = .instant(before(-86_400)) }, .same),
        Row("no time", sought(.reusable), agreeing { $0.at = nil }, .same),
    ]

    @Test("Amounts", arguments: amounts) func amount(_ row: Row) { expect(row) }
    @Test("Card, account, invoice, batch and time", arguments: others) func other(_ row: Row) { expect(row) }

    private func expect(_ row: Row) {
        switch (row.sought.comparison(with: row.found), row.expected) {
        case (.same, .same), (.unproven, .unproven), (.another, .another): break
        case (let reported, _): Issue.record("\(row.what): \(reported)")
        }
    }

    @Test("Differences are reported in words") func words() {
        let found = FoundPayment(requested: Self.usd(2_000), lastFour: "4242")
        let reported = Self.sought(.reusable).comparison(with: found)
        #expect(
            reported
                == .another("Another transaction was found. Different: requested amount, last four digits.")
        )
    }
}
