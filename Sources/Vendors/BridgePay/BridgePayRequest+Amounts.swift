import Payments
import Redaction

extension BridgePayRequest {
    /// The total requested amount; nil if the request names no amount.
    ///
    /// The guide calls `amount` the total with the tip, and the tip an addition to it; its capture example has the tip
    /// inside. The authorised amount decides between the two. Cash back and tax have implied decimals (document 000,
    /// lines 432 and 592), while amount and tip are in major units.
    ///
    /// - Parameter authorized: The total that the gateway approved, if reported.
    /// - Throws: `malformedMoney`, `negativeAmount`, `amountTooLarge`.
    func amounts(in currency: Currency, authorized: Money?) throws -> Amounts? {
        var reader = FigureReader(currency: currency)
        let amount = try reader.decimal(fields, "amount", as: label("amount"))
        let tip = try reader.decimal(fields, "tipamount", as: label("tipAmount"))
        let cashback = reader.impliedOrDecimal(fields, "cashbackamount", as: label("cashBackAmount"))
        let tax = reader.impliedOrDecimal(fields, "taxamount", as: label("taxAmount"))
        guard var total = amount else { return nil }
        let pointer = fields.pointer(to: "amount")
        if let authorized, let tip, !tip.isZero, try total.adding(all: [tip], at: pointer) == authorized {
            total = authorized
        }
        let parts = try Money.zero(currency).adding(all: [tip, cashback, tax], at: pointer)
        let isSplit = tip != nil || cashback != nil || tax != nil
        let base = isSplit && parts.value <= total.value ? Money(total.value - parts.value, currency) : nil
        let figures = (reader.recorded ?? []) + portions(in: currency).map(\.figure)
        return Amounts(total: total, base: base, tip: tip, tax: tax, cashback: cashback, figures: figures)
    }

    /// The tip alone, for tip adjustments.
    func tip(in currency: Currency) throws -> (Money, Figure)? {
        var reader = FigureReader(currency: currency)
        guard let tip = try reader.decimal(fields, "tipamount", as: label("tipAmount")),
            let figure = reader.figures.first
        else { return nil }
        return (tip, figure)
    }

    func label(_ field: String) -> String { "\(kind.rawValue).\(field)" }

    // MARK: Portions

    /// A figure that describes part of the amount. It moves no money, so an unreadable one is only an anomaly.
    struct Portion {
        let name: String
        let money: Money?
        let figure: Figure
    }

    /// `healthCareData` and the tax rate. The amounts are portions of the total, in major units; the rate has two
    /// implied decimals. The guide calls the transport portion `transitAmt` once and `transmitAmt` once.
    func portions(in currency: Currency) -> [Portion] {
        var portions: [Portion] = []
        if let health = try? fields.object("healthcaredata", "bpnhealthcare") {
            for name in Self.healthCareAmounts {
                guard let raw = try? health.text(SensitiveNames.normalized(name)) else { continue }
                let figure = try? AmountFigure.decimal(raw, currency: currency, allowing: .dollarSign)
                let printed = Figure(
                    field: "BPNHealthCare.\(name)",
                    raw: figure?.raw ?? FigureReader.printable(raw),
                    exponent: figure?.exponent
                )
                portions.append(Portion(name: name, money: figure?.money, figure: printed))
            }
        }
        if let raw = try? fields.text("taxrate") {
            let isRead = Self.rate(raw) != nil
            let rate = Figure(field: label("taxRate"), raw: FigureReader.printable(raw), exponent: isRead ? 2 : nil)
            portions.append(Portion(name: "taxRate", money: nil, figure: rate))
        }
        return portions
    }

    /// The tax rate in hundredths of a percent: 550 means 5.5 %, and so does 5.5.
    static func rate(_ raw: String) -> Int64? {
        let figure =
            raw.contains(".")
            ? try? AmountFigure.decimal(raw, currency: .usd)
            : try? AmountFigure.implied(raw, exponent: 2, currency: .usd)
        return figure?.money.value
    }

    /// Figures with implied decimals that are ambiguous or unreadable. The guide declares them both as text of cents
    /// and as decimal numbers (document 000, lines 432 and 711).
    func scaleAnomalies(in currency: Currency) -> [Anomaly] {
        ["cashBackAmount", "taxAmount", "taxRate"].compactMap { field in
            guard let raw = try? fields.text(SensitiveNames.normalized(field)) else { return nil }
            var reader = FigureReader(currency: currency)
            let money = reader.impliedOrDecimal(fields, SensitiveNames.normalized(field), as: field)
            guard let money else {
                return field == "taxRate"
                    ? nil : Anomaly(.amountUnreadable, "\(label(field)) is no figure; it is left out of the parts")
            }
            if raw.contains(".") {
                return Anomaly(.amountScaleAssumed, "\(label(field)) has a decimal point, so it is read in major units")
            }
            guard field == "cashBackAmount", (1..<100).contains(money.value) else { return nil }
            return Anomaly(.amountScaleAssumed, "\(label(field)) is less than one unit with implied decimals")
        }
    }

    static let healthCareAmounts = [
        "healthCareAmt", "transitAmt", "transmitAmt", "prescriptionAmt", "visionAmt", "dentalAmt", "clinicAmt",
    ]

    /// Inconsistent portions: the parts of health care must not exceed health care, and health care must not exceed the
    /// total.
    func portionAnomalies(in currency: Currency, total: Money?) -> [Anomaly] {
        let portions = portions(in: currency)
        var anomalies = portions.filter { $0.figure.exponent == nil }
            .map { Anomaly(.malformedField, "\($0.figure.field) is not a figure") }
        guard let health = portions.first(where: { $0.name == "healthCareAmt" })?.money else {
            if portions.contains(where: { $0.figure.field.hasPrefix("BPNHealthCare") }) && anomalies.isEmpty {
                anomalies.append(Anomaly(.malformedField, "BPNHealthCare.healthCareAmt is required and not there"))
            }
            return anomalies
        }
        let parts = portions.filter { ["prescriptionAmt", "visionAmt", "dentalAmt", "clinicAmt"].contains($0.name) }
        let sum = parts.reduce(Int64(0)) { $0.addingSaturated($1.money?.value ?? 0) }
        if sum > health.value {
            anomalies.append(Anomaly(.amountsDoNotAddUp, "the parts of healthCareAmt are more than it"))
        }
        if let total, health.value > total.value {
            anomalies.append(Anomaly(.amountsDoNotAddUp, "healthCareAmt is more than the total"))
        }
        let transit = portions.first { $0.name == "transitAmt" || $0.name == "transmitAmt" }?.money
        if let total, let transit, transit.value > total.value {
            anomalies.append(Anomaly(.amountsDoNotAddUp, "transitAmt is more than the total"))
        }
        return anomalies
    }
}
