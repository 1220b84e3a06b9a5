import Canonical
import Payments

/// The amounts of a response: whole minor units by ISO 4217, as in the vendor's document.
///
/// The SDK's own currency table has different decimals for some currencies, which it uses for printing. For those
/// currencies the reading is an assumption, recorded as an anomaly.
struct FinanceAmounts {
    /// The amounts that the app requested.
    private(set) var asked: Amounts?
    /// The approved amounts, including the tip.
    private(set) var approved: Amounts?
    private(set) var due: Money?
    private(set) var anomalies: [Anomaly] = []

    /// - Parameter isStrict: True if money moved, so that the amounts must be readable.
    /// - Throws: `missingMoney`, `unknownCurrency`, `malformedMoney`, `negativeAmount`, `amountTooLarge`. If not
    ///   strict, an unreadable amount is an anomaly.
    init(_ response: FinanceResponse, isPartial: Bool, isStrict: Bool) throws {
        do {
            try read(response, isPartial: isPartial)
        } catch let refusal as Refusal where !isStrict {
            asked = nil
            anomalies = [Anomaly(.malformedField, "the amounts cannot be read: \(refusal.code.rawValue)")]
        }
        if isStrict, approved == nil {
            throw Refusal(
                .missingMoney,
                "An approval has TotalAmount or authorisedAmount, and Currency.",
                pointer: response.details.holder(of: "totalamount").pointer(to: "totalamount")
            )
        }
    }

    private mutating func read(_ response: FinanceResponse, isPartial: Bool) throws {
        guard let currency = try Self.currency(response) else { return }
        var reader = FigureReader(currency: currency)
        func amount(_ name: String, _ label: String) throws -> Money? {
            try reader.minorUnits(response.details.holder(of: name), name, as: label)
        }
        let requested = try amount("requestedamount", "RequestedAmount")
        let tip = try amount("gratuityamount", "GratuityAmount")
        let printed = try amount("totalamount", "TotalAmount")
        let authorised = try reader.minorUnits(response.body, "authorisedamount", as: "authorisedAmount")
        due = try amount("dueamount", "DueAmount")
        let wanted = try response.request.flatMap { try reader.minorUnits($0, "amount", as: "request.amount") }
        let pointer = response.details.holder(of: "totalamount").pointer(to: "totalamount")
        let figures = reader.recorded
        asked = (requested ?? wanted ?? printed).map { Amounts(total: $0, figures: figures) }

        let sum = try (requested ?? wanted).map { try $0.adding(all: [tip], at: pointer) }
        guard let total = try total(printed ?? sum, authorised, requested, isPartial: isPartial) else { return }
        let hasParts = !isPartial && (total == (printed ?? sum) || total == sum)
        let reported = tip.flatMap { $0.isZero ? nil : $0 }
        approved = Amounts(
            total: total,
            base: hasParts ? requested : nil,
            tip: hasParts ? reported : nil,
            figures: figures
        )
        if currency.isScaledOtherwiseByHandpoint, let figures {
            let list = figures.map { "\($0.field) \($0.raw)" }.joined(separator: ", ")
            let other = currency.handpointSDKExponent.map(String.init) ?? "other"
            anomalies.append(
                Anomaly(
                    .amountScaleAssumed,
                    "read as minor units by ISO 4217, where the SDK has \(other) decimals: \(list)"
                )
            )
        }
    }

    /// Combines the reader's own authorised amount with the one of the dictionary.
    private mutating func total(
        _ total: Money?,
        _ authorised: Money?,
        _ requested: Money?,
        isPartial: Bool
    ) throws -> Money? {
        guard let authorised, !authorised.isZero else { return total }
        guard let total, authorised != total else { return authorised }
        if isPartial { return authorised }
        // It may exclude the tip.
        if authorised == requested { return total }
        anomalies.append(
            Anomaly(.conflictingAmount, "authorisedAmount is \(authorised.value), TotalAmount is \(total.value)")
        )
        return authorised
    }

    static func currency(_ response: FinanceResponse) throws -> Currency? {
        let holder = response.details.holder(of: "currency")
        guard let named = try holder.text("currency") ?? response.request?.text("currency") else { return nil }
        return try HandpointAdapter.currency(named, at: holder.pointer(to: "currency"))
    }
}

extension HandpointAdapter {
    /// Accepts `GBP`, `826` and `0826`.
    ///
    /// - Throws: `unknownCurrency`.
    static func currency(_ name: String, at pointer: String) throws -> Currency {
        guard let currency = Currency(named: name) else {
            throw Refusal(.unknownCurrency, "An ISO 4217 currency code or number is expected.", pointer: pointer)
        }
        return currency
    }
}
