import Canonical
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
        let isSplit = tip != nil || cashback != nil || tax != nil
        let parts = Self.sum([tip, cashback, tax])
        let base = isSplit && parts <= total.value ? Money(total.value - parts, currency) : nil
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
    /// and as decimal numbers (document 000, lines 432, 586, 592 and 711).
    ///
    /// A whole figure is ambiguous if it also makes sense in major units, and is a JSON number or less than one unit.
    /// A figure in major units is at most the total, and a rate at most 100 %.
    func scaleAnomalies(in currency: Currency, total: Money?) -> [Anomaly] {
        ["cashBackAmount", "taxAmount", "taxRate"].compactMap { field in
            let name = SensitiveNames.normalized(field)
            guard let raw = try? fields.text(name) else { return nil }
            let isRate = field == "taxRate"
            var reader = FigureReader(currency: isRate ? .usd : currency)
            guard let money = reader.impliedOrDecimal(fields, name, as: field) else {
                return isRate
                    ? nil : Anomaly(.amountUnreadable, "\(label(field)) is no figure; it is left out of the parts")
            }
            if raw.contains(".") {
                return Anomaly(.amountScaleAssumed, "\(label(field)) has a decimal point, so it is read in major units")
            }
            let limit = isRate ? Money(10_000, .usd) : total
            guard !money.isZero, isWritten(asNumber: name) || Int64(raw).map({ $0 < 100 }) ?? false,
                let major = try? AmountFigure.decimal(raw, currency: money.currency).money,
                limit.map({ major.value <= $0.value }) ?? true
            else { return nil }
            return Anomaly(.amountScaleAssumed, "\(label(field)) may be in major units; implied decimals are assumed")
        }
    }

    private func isWritten(asNumber name: String) -> Bool {
        if case .number? = fields.value(name) { true } else { false }
    }

    /// Minor units.
    private static func sum(_ parts: [Money?]) -> Int64 {
        parts.reduce(Int64(0)) { $0.addingSaturated($1?.value ?? 0) }
    }

    static let healthCareAmounts = [
        "healthCareAmt", "transitAmt", "transmitAmt", "prescriptionAmt", "visionAmt", "dentalAmt", "clinicAmt",
    ]

    /// The portions of health care that are portions of `healthCareAmt`.
    private static let healthCareParts: Set<String> = ["prescriptionAmt", "visionAmt", "dentalAmt", "clinicAmt"]

    /// Parts that are more than their whole. The amount contains cash back, tax and tip (document 000, line 288), and
    /// health care and its transport (lines 404 and 406); the health-care amount contains its parts (line 2360).
    ///
    /// - Parameter total: The requested amount, with the tip if the approved amount contains it.
    func portionAnomalies(in currency: Currency, total: Money?) -> [Anomaly] {
        let portions = portions(in: currency)
        var anomalies = portions.filter { $0.figure.exponent == nil }
            .map { Anomaly(.malformedField, "\($0.figure.field) is not a figure") }
        anomalies += healthCareAnomalies(portions, total: total)
        // The lifecycle flags a tip that alone is more than the total.
        guard let amounts = try? amounts(in: currency, authorized: total),
            (amounts.tip?.value ?? 0) <= amounts.total.value,
            Self.sum([amounts.tip, amounts.cashback, amounts.tax]) > amounts.total.value
        else { return anomalies }
        return anomalies + [
            Anomaly(.amountsDoNotAddUp, "tipAmount, cashBackAmount and taxAmount are together more than the amount")
        ]
    }

    private func healthCareAnomalies(_ portions: [Portion], total: Money?) -> [Anomaly] {
        guard (try? fields.object("healthcaredata", "bpnhealthcare")) != nil else { return [] }
        var anomalies: [Anomaly] = []
        let parts = Self.sum(portions.map { Self.healthCareParts.contains($0.name) ? $0.money : nil })
        let amount = portions.first { $0.name == "healthCareAmt" }
        if amount == nil {
            anomalies.append(Anomaly(.malformedField, "BPNHealthCare.healthCareAmt is required and not there"))
        }
        let health = amount?.money
        if let health, parts > health.value {
            anomalies.append(Anomaly(.amountsDoNotAddUp, "the parts of healthCareAmt are more than it"))
        }
        let transit = portions.first { $0.name == "transitAmt" || $0.name == "transmitAmt" }?.money
        let whole = max(health?.value ?? 0, parts).addingSaturated(transit?.value ?? 0)
        if let total, whole > total.value {
            anomalies.append(Anomaly(.amountsDoNotAddUp, "healthCareAmt and transitAmt are more than the total"))
        }
        return anomalies
    }
}
