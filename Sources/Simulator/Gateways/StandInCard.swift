/// A card at a stand-in: a published test card, or a token of one. Other cards are refused, and no number is stored.
struct StandInCard: Hashable {
    let brand: String
    let lastFour: String

    /// BridgePay's tokens have 20 digits in every sample and end in the card's last four. No card number has more than
    /// 19 digits.
    private static let tokenDigits = 20...22

    init(brand: String, lastFour: String) {
        self.brand = brand
        self.lastFour = lastFour
    }

    init(_ card: TestCard) {
        brand = card.brand
        lastFour = card.lastFour
    }

    /// A test card by its complete number.
    init?(number: String) {
        guard let card = TestCard.all.first(where: { $0.number == number }) else { return nil }
        self.init(card)
    }

    /// A token in BridgePay's form.
    init?(token: String) {
        guard Self.tokenDigits.contains(token.utf8.count), token.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        let lastFour = String(token.suffix(4))
        brand = TestCard.all.first { $0.lastFour == lastFour }?.brand ?? "Visa"
        self.lastFour = lastFour
    }

    /// The card presented to a terminal for this payment.
    static func presented(for reference: String, seed: UInt64) -> StandInCard {
        var random = SeededRandom(seed: seed).fork("card \(reference)")
        return StandInCard(random.pick(TestCard.all))
    }

    var token: String { "1111" + "000000000000" + lastFour }

    /// For example `4***********1111`.
    var masked: String {
        let leading = ["Visa": "4", "Mastercard": "5", "Discover": "6", "American Express": "3"][brand] ?? "4"
        return leading + String(repeating: "*", count: brand == "American Express" ? 10 : 11) + lastFour
    }
}

extension SeededRandom {
    /// The host's random data for the nth payment: the same for the same seed.
    static func host(_ number: Int, seed: UInt64) -> SeededRandom { SeededRandom(seed: seed).fork("host", number) }
}
