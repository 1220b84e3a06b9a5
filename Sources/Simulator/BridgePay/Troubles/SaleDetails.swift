import Canonical

/// What an app's request may state of a sale beside its amount, which contains the tax and the cash back: guide, lines
/// 288 to 290, 430 to 436, 584 to 598 and 653 to 665.
struct SaleDetails {
    private let clerk: String
    /// The person who gets the tip; nil if the clerk does, or if there is none.
    private let server: String?
    /// Hundredths of a percent.
    private let taxRate: Int64
    private let tax: Int64
    /// Whole dollars, in cents.
    private let cashBack: Int64

    /// - Parameter givesCash: Whether the cardholder may get cash.
    init(_ purchase: Purchase, givesCash: Bool, _ random: inout SeededRandom) {
        clerk = "clerk-\(random.within(1...4))"
        let isServed = random.chance(percent: 50)
        server = isServed && purchase.basket.tip > 0 ? "server-\(random.within(1...9))" : nil
        let base = purchase.basket.base
        cashBack = givesCash ? min(2_000, base / 2 / 100 * 100) : 0
        taxRate = Int64(random.within(4...10)) * 100 + 25
        tax = max(1, (base - cashBack) * taxRate / (10_000 + taxRate))
    }

    /// The figures have implied decimals: lines 432, 586 and 592.
    func add(to request: inout JSONObject) {
        request["clerkId"] = .string(clerk)
        if let server { request["tipRecipientCode"] = .string(server) }
        request["taxRate"] = .number(.init(taxRate))
        request["taxAmount"] = .number(.init(tax))
        request["taxIndicator"] = "P"
        if cashBack > 0 { request["cashBackAmount"] = .string("\(cashBack)") }
    }

    func note(in truth: inout PaymentTruth) {
        truth.base -= tax + cashBack
        truth.tax = tax
        truth.taxes = [TaxTruth(label: "", amount: tax)]
        truth.tipRecipient = server ?? clerk
        truth.show("references.clerk", is: .string(clerk))
        if let server { truth.show("references.tipRecipient", is: .string(server)) }
        truth.show("circumstances.taxRateBasisPoints", taxRate)
        truth.show("breakdown.tax", tax)
        guard cashBack > 0 else { return }
        truth.cashBack = cashBack
        truth.show("breakdown.cashback", cashBack)
    }
}
