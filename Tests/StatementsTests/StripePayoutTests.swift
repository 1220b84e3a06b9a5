import Canonical
import Payments
import Statements
import Testing

/// Payouts of Stripe in both notations. All files are made up.
@Suite struct StripePayoutTests {
    @Test func payoutsOfStripeWithPositiveAmounts() throws {
        let rows = Samples.stripe.replacing("usd,-5.41,0.00,-5.41", with: "usd,5.41,0.00,5.41").split(separator: "\n")
        for order in [[0, 1, 2, 3], [0, 3, 2, 1]] {
            let reading = try Reading(.stripePayout, order.map { rows[$0] }.joined(separator: "\n") + "\n")
            #expect(reading.failing.isEmpty)
            let payout = try #require(reading.lines.first { $0.type == .payout })
            #expect(payout.net == -541 && payout.gross == -541)
            #expect(reading.lines.reduce(0) { $0 + ($1.net ?? 0) } == 0)
            #expect(reading.notes.map(\.code) == [.information])
        }
        let short = try Reading(
            .stripePayout,
            rows.joined(separator: "\n").replacing("5.41,0.00,5.41", with: "5.40,0.00,5.40")
        )
        let control = try #require(short.control("payout-amount"))
        #expect(control.stated == 540 && control.computed == 541)
    }

    /// A negative balance is taken from the bank account: such a payout is positive.
    @Test func negativePayoutsOfStripe() throws {
        let taken = Samples.stripe.replacing("usd,-4.00,0.00,-4.00", with: "usd,-40.00,0.00,-40.00")
            .replacing("usd,-5.41,0.00,-5.41", with: "usd,30.59,0.00,30.59")
        let reading = try Reading(.stripePayout, taken)
        #expect(reading.failing.isEmpty && reading.notes.isEmpty)
        #expect(reading.lines.map(\.net) == [941, -4000, 3059])
    }

    @Test func payoutsOfStripeAlone() throws {
        let rows = Samples.stripe.split(separator: "\n")
        let reading = try Reading(.stripePayout, [rows[0], rows[3]].joined(separator: "\n"))
        #expect(reading.failing.isEmpty && reading.lines.map(\.net) == [-541])
        #expect(reading.notes.map(\.code) == [.unchecked])
        // Without the column, the row's own id is the payout's.
        let bare = rows[3].replacing("po_1,2026-01-21", with: ",2026-01-21")
        let found = try Reading(.stripePayout, [rows[0], bare[...]].joined(separator: "\n"))
        #expect(found.lines.first?.references[.payout] == "po_1")
    }
}
