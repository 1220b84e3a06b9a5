import Matching
package import Payments

/// One vendor's reader, SDK and host: their actions for a purchase and the SDK's reports to the app.
protocol VirtualSDK: Sendable {
    var vendor: Vendor { get }
    /// Its merchants' currencies, used in turn.
    var currencies: [Currency] { get }
    /// The faults of `Fault.outcomes` that its payments can have.
    var faults: [Fault] { get }
    /// The troubles that its payments can have.
    var troubles: [Trouble] { get }
    /// The classes of `DiscrepancyProfile.reported` that can be planted in its documents.
    var plantable: [ExceptionClass] { get }
    /// The customers' intents and their weights.
    func intents(at merchant: Merchant) -> [(Intent, weight: Int)]
    /// The basket of a purchase. Test systems decide by the amount, so the basket selects the outcome.
    func basket(_ intent: Intent, _ fault: Fault?, at merchant: Merchant, _ random: inout SeededRandom) -> Basket
    /// The basket of a sale whose answer is lost forever, although the ledger receives an id of it.
    func basketInDoubt(at merchant: Merchant, _ random: inout SeededRandom) -> Basket
    /// Plays the app's second report of a sale, as another payment.
    ///
    /// - Parameters:
    ///   - purchase: The second payment, with its own name.
    ///   - first: The truth about the sale.
    func playAgain(
        _ purchase: Purchase,
        after first: PaymentTruth,
        on terminal: VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    )
    /// Plays a purchase: records the SDK's documents and the truth.
    func play(
        _ purchase: Purchase,
        on terminal: inout VirtualTerminal,
        into script: inout Script,
        _ random: inout SeededRandom
    )
    /// Plays the reader's reports at the start of a day.
    func open(_ terminal: inout VirtualTerminal, into script: inout Script, _ random: inout SeededRandom)
    /// True if the SDK reports a payment's batch and the closing of batches.
    func closesBatches(of terminal: VirtualTerminal) -> Bool
    /// Closes the terminal's batch at the host.
    ///
    /// - Parameters:
    ///   - totals: The batch's totals.
    ///   - isRefused: Whether the host disagrees with the totals.
    func close(
        _ terminal: VirtualTerminal,
        _ totals: BatchTotals,
        isRefused: Bool,
        into script: inout Script,
        _ random: inout SeededRandom
    )
}

extension VirtualSDK {
    var troubles: [Trouble] { [] }
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

    /// A basket for the merchant's trade.
    func plainBasket(_ intent: Intent, at merchant: Merchant, _ random: inout SeededRandom) -> Basket {
        var base = Int64(random.within(merchant.baskets))
        // Amounts with three decimals, in coins of five.
        if merchant.currency.exponent == 3 { base = base * 3 / 5 * 5 }
        var basket = Basket(base: base)
        if merchant.takesTips, intent == .sale, random.chance(percent: 40) { basket.tip = tip(on: base, &random) }
        return basket
    }

    /// Ten to twenty-two percent.
    func tip(on base: Int64, _ random: inout SeededRandom) -> Int64 {
        max(1, base * Int64(random.within(10...22)) / 100)
    }
}

/// The totals of a terminal's open batch, in minor units.
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

package enum VirtualSDKs {
    /// The simulated vendors: all of them, by their ids.
    package static let vendors = Vendor.allCases.sorted { $0.rawValue < $1.rawValue }

    static func sdk(of vendor: Vendor) -> any VirtualSDK {
        switch vendor {
        case .bridgepay: BridgePaySDK()
        case .dejavoo: DejavooSDK()
        case .handpoint: HandpointSDK()
        case .paydiant: PaydiantSDK()
        case .youtransactor: YouTransactorSDK()
        }
    }
}
