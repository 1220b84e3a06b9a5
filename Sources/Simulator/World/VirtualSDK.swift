import Matching
package import Payments

/// One vendor's reader, SDK and host: what they do for a purchase, and what the SDK tells the app about it.
protocol VirtualSDK: Sendable {
    var vendor: Vendor { get }
    /// Currencies its merchants trade in, by turns.
    var currencies: [Currency] { get }
    /// What of `Fault.outcomes` can happen to its payments.
    var faults: [Fault] { get }
    /// What of `DiscrepancyProfile.told` can be planted in what it tells.
    var plantable: [ExceptionClass] { get }
    /// How often people want what.
    func intents(at merchant: Merchant) -> [(Intent, weight: Int)]
    /// What is in the basket. Test systems decide by the amount, so this is where an outcome is chosen.
    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket
    /// What is in the basket of a sale whose answer is lost for ever, although the ledger is told an id of it.
    func basketInDoubt(at merchant: Merchant, _ random: inout SeededRandom) -> Basket
    /// The app tells a sale again, as another one: writes down what it tells.
    ///
    /// - Parameters:
    ///   - purchase: With a name of its own.
    ///   - first: The truth about the sale.
    func playAgain(
        _ purchase: Purchase,
        after first: PaymentTruth,
        on terminal: VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    )
    /// Plays a purchase: writes down what the SDK tells, and what really happened.
    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    )
    /// What a reader tells when the day begins.
    func open(_ terminal: inout VirtualTerminal, into script: inout Script, _ random: inout SeededRandom)
    /// True where the SDK tells in which batch a payment is and when the batch is closed.
    func closesBatches(of terminal: VirtualTerminal) -> Bool
    /// Asks the host to close the terminal's batch.
    ///
    /// - Parameters:
    ///   - totals: What is in it.
    ///   - isRefused: Whether the host does not agree with the totals.
    func close(
        _ terminal: VirtualTerminal,
        _ totals: BatchTotals,
        isRefused: Bool,
        into script: inout Script,
        _ random: inout SeededRandom
    )
}

extension VirtualSDK {
    var plantable: [ExceptionClass] { [] }

    func basketInDoubt(at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        basket(.sale, .lostAnswer, at: merchant, &random)
    }

    func playAgain(
        _ purchase: Purchase,
        after first: PaymentTruth,
        on terminal: VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {}

    func open(_ terminal: inout VirtualTerminal, into script: inout Script, _ random: inout SeededRandom) {}
    func closesBatches(of terminal: VirtualTerminal) -> Bool { false }
    func close(
        _ terminal: VirtualTerminal,
        _ totals: BatchTotals,
        isRefused: Bool,
        into script: inout Script,
        _ random: inout SeededRandom
    ) {}

    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        plainBasket(intent, at: merchant, &random)
    }

    /// A basket of the merchant's trade.
    func plainBasket(_ intent: Intent, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        var base = Int64(random.within(merchant.baskets))
        // Three decimals, and coins of five.
        if merchant.currency.exponent == 3 { base = base * 3 / 5 * 5 }
        var basket = Basket(base: base)
        if merchant.takesTips, intent == .sale, random.chance(percent: 40) { basket.tip = tip(on: base, &random) }
        return basket
    }

    /// Ten to twenty-two per cent.
    func tip(on base: Int64, _ random: inout SeededRandom) -> Int64 {
        max(1, base * Int64(random.within(10...22)) / 100)
    }
}

/// What is in a terminal's open batch, in minor units.
struct BatchTotals: Sendable, Hashable {
    var count: Int
    var sales: Int64
    var returns: Int64

    init(_ payments: [PaymentTruth]) {
        count = payments.count
        sales = payments.reduce(0) { $0 + $1.captured }
        returns = payments.reduce(0) { $0 + $1.refunded + $1.credited }
    }
}

/// The SDKs that are played.
package enum VirtualSDKs {
    static let all: [any VirtualSDK] = [
        BridgePaySDK(), DejavooSDK(), HandpointSDK(), PaydiantSDK(), YouTransactorSDK(),
    ]

    package static var vendors: [Vendor] { all.map(\.vendor) }

    static func sdk(of vendor: Vendor) -> (any VirtualSDK)? { all.first { $0.vendor == vendor } }
}
