import Canonical
import Payments
import Testing

@testable import Operations

/// The figures of a printed receipt: only what a line states plainly.
@Suite struct PrintedFieldsTests {
    @Test(arguments: [
        ("Total: 12.50", 1250), ("TOTAL AMOUNT : $1,234.50", 123_450), ("Amount: USD 12.50", 1250), ("USD12.50", 1250),
        ("Amount: 10.00\nTip: 2.50\nTotal: 12.50", 1250), ("Total: 12.50\nTotal: 12.50", 1250),
        ("Total: 12.50\nTotal: 13.50", nil), ("Subtotal: 12.50", nil), ("Total: 12,50", nil), ("Total: 12.5", nil),
        ("Total: 12", nil), ("12.50", nil), ("USD only", nil), ("Total:", nil), ("", nil), ("EUR12.50", nil),
        (":", nil),
        ("::", nil), (" : ", nil), ("Total:\n:\n12.50", nil),
    ])
    func anAmountNeedsItsLabel(text: String, amount: Int64?) {
        #expect(PrintedFields(text, in: .usd).amount == amount)
        #expect(PrintedFields(text, in: nil).amount == nil)
    }

    @Test func otherFieldsNeedTheirForm() {
        let fields = PrintedFields("Auth code: 05354\nCardNumber: **** **** **** 0045\nTime: 09:45:12", in: .usd)
        #expect(fields.authorizationCode == "05354" && fields.lastFour == "0045" && fields.time == "09:45")
        for text in [
            "CardNumber: 0045", "CardNumber: **** 00", "Card: Visa", "Time: 9:45", "Time: 25:00", "Time: soon",
        ] {
            let fields = PrintedFields(text, in: .usd)
            #expect(fields.lastFour == nil && fields.time == nil, "\(text)")
        }
    }
}
