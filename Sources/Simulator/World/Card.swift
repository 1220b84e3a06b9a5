/// A test card at a terminal. The numbers are the schemes' published test numbers; documents contain them masked as
/// each SDK does it.
package struct TestCard: Sendable, Hashable {
    package enum Entry: Sendable, Hashable {
        case chip, contactless, swipe
    }

    /// The complete number; only documents of careless apps contain it.
    var number: String
    var brand: String
    /// RID and PIX in hexadecimal.
    var application: String
    var label: String
    var isDebit: Bool
    var entry: Entry = .chip

    var firstFour: String { String(number.prefix(4)) }
    var lastFour: String { String(number.suffix(4)) }

    static let all: [TestCard] = [
        TestCard(
            number: "4111111111111111",
            brand: "Visa",
            application: "A0000000031010",
            label: "VISA CREDIT",
            isDebit: false
        ),
        TestCard(
            number: "4217651111111119",
            brand: "Visa",
            application: "A0000000031010",
            label: "VISA DEBIT",
            isDebit: true
        ),
        TestCard(
            number: "5499740000000057",
            brand: "Mastercard",
            application: "A0000000041010",
            label: "MASTERCARD",
            isDebit: false
        ),
        TestCard(
            number: "5149612222222229",
            brand: "Mastercard",
            application: "A0000000041010",
            label: "DEBIT MASTERCARD",
            isDebit: true
        ),
        TestCard(
            number: "6011000991001201",
            brand: "Discover",
            application: "A0000001523010",
            label: "DISCOVER",
            isDebit: false
        ),
        TestCard(
            number: "371449635392376",
            brand: "American Express",
            application: "A000000025010801",
            label: "AMEX",
            isDebit: false
        ),
    ]

    static func random(_ random: inout SeededRandom) -> TestCard {
        var card = random.pick(all)
        card.entry = random.pick([(.chip, weight: 5), (.contactless, weight: 4), (.swipe, weight: 1)])
        return card
    }
}
