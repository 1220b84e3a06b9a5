import EMV
import Payments

/// The requested amount, currency and type: members of both `UCubePaymentRequest` and `PaymentContext`.
struct UCubeAmounts {
    private(set) var currency: Currency?
    /// The number of decimals, from the SDK's `Currency`.
    private(set) var exponent: Int?
    /// The total amounts; nil if the document has none.
    private(set) var amounts: Amounts?
    private(set) var anomalies: [Anomaly] = []

    /// - Parameter chip: The chip's data. It supplies the amount if the terminal requested it (`-1` on Android, 0 on
    ///   iOS), and the cashback, for which the SDK has no member.
    /// - Throws: `unknownCurrency`, `malformedMoney`, `negativeAmount`, `amountTooLarge`.
    init(_ document: UCubeDocument, type: UCubeTransactionType?, chip: ChipData) throws {
        try readCurrency(document, chip)
        let fields = document.fields
        let raw = try fields.text("amount")
        guard let currency else {
            guard raw == nil || raw == "-1" else {
                throw Refusal(
                    .unknownCurrency,
                    "An amount needs its Currency, with a code of ISO 4217.",
                    pointer: fields.pointer(to: "currency")
                )
            }
            return
        }
        var figures: [Figure] = []
        var total: Money?
        if let raw, raw != "-1" {
            total = try read(raw, currency, label: "amount", at: fields.pointer(to: "amount"), &figures)
        }
        if total == nil || total?.isZero == true, let signed = chip.amountAuthorized, signed > 0 {
            let scale = chip.currencyExponent ?? exponent
            total = try read(String(signed), currency, scale, label: "9F02", at: fields.pointer, &figures)
        }
        guard let total else { return }
        amounts = Amounts(total: total, figures: figures.isEmpty ? nil : figures)
        try readCashback(chip, total, type, at: fields.pointer)
    }

    private mutating func readCurrency(_ document: UCubeDocument, _ chip: ChipData) throws {
        let fields = document.fields
        guard document.hasObject("currency") else {
            // A label or a code in place of the structure.
            if let text = try fields.text("currency") {
                guard let named = Currency(named: text) else { throw Self.unknown(fields.pointer(to: "currency")) }
                currency = named
            } else {
                currency = chip.currencyNumeric.flatMap { Currency(numeric: $0) }
            }
            return assumeExponent(chip)
        }
        guard let part = try document.part("currency") else { return }
        let code = try part.fields.text("code", "isocode")
        let label = try part.fields.text("label")
        let byCode = code.flatMap { Int($0) }.flatMap { Currency(numeric: $0) }
        let byLabel = label.flatMap { Currency(alphaIgnoringCase: $0) }
        guard let named = byCode ?? (code == nil ? byLabel : nil) else {
            throw Self.unknown(part.fields.pointer(to: code == nil ? "label" : "code"))
        }
        if let byLabel, byLabel != named {
            anomalies.append(
                Anomaly(.currencyMismatch, "the currency's code is \(named.numericText), its label \(byLabel.alpha)")
            )
        }
        currency = named
        guard let text = try part.fields.text("exponent") else { return assumeExponent(chip) }
        guard let decimals = Int(text), 0...9 ~= decimals else {
            throw Refusal(
                .malformedMoney,
                "The exponent of a currency is a number of 0 to 9.",
                pointer: part.fields.pointer(to: "exponent")
            )
        }
        exponent = decimals
    }

    private static func unknown(_ pointer: String) -> Refusal {
        Refusal(.unknownCurrency, "An ISO 4217 currency code is expected.", pointer: pointer)
    }

    private mutating func assumeExponent(_ chip: ChipData) {
        guard let currency else { return }
        if let reported = chip.currencyExponent, 0...9 ~= reported {
            exponent = reported
        } else {
            exponent = currency.exponent
            anomalies.append(
                Anomaly(
                    .amountScaleAssumed,
                    "no exponent is reported; amounts were read with the ISO 4217 exponent of \(currency.alpha)"
                )
            )
        }
    }

    private func read(
        _ raw: String,
        _ currency: Currency,
        _ scale: Int? = nil,
        label: String,
        at pointer: String,
        _ figures: inout [Figure]
    ) throws -> Money {
        do throws(MoneyError) {
            let figure = try AmountFigure.implied(raw, exponent: scale ?? exponent ?? 0, currency: currency)
            figures.append(Figure(field: label, raw: figure.raw, exponent: figure.exponent))
            return figure.money
        } catch {
            throw FigureReader.refusal(for: error, at: pointer)
        }
    }

    /// The amount includes tag 9F03.
    private mutating func readCashback(
        _ chip: ChipData,
        _ total: Money,
        _ type: UCubeTransactionType?,
        at pointer: String
    ) throws {
        guard let other = chip.amountOther, other > 0, type != .refund, type != .inquiry, var parts = amounts else {
            return
        }
        var figures = parts.figures ?? []
        let cashback = try read(
            String(other),
            total.currency,
            chip.currencyExponent ?? exponent,
            label: "9F03",
            at: pointer,
            &figures
        )
        guard cashback.value <= total.value else {
            anomalies.append(Anomaly(.amountsDoNotAddUp, "the cashback alone is more than the amount"))
            return
        }
        parts.cashback = cashback
        parts.base = Money(total.value - cashback.value, total.currency)
        parts.figures = figures
        amounts = parts
    }

    /// Disagreements of the chip's data with the payment, except those that the approval check covers.
    func chipAnomalies(_ chip: ChipData, type: UCubeTransactionType?, isApproved: Bool) -> [Anomaly] {
        guard let total = amounts?.total else { return [] }
        // The chip uses its own exponent; the figures can be compared only if it is the same.
        let isSameScale = (chip.currencyExponent ?? exponent) == total.currency.exponent
        var found = AmountCheck.disagreements(
            chip,
            with: .init(
                total: isSameScale ? total.value : nil,
                cashback: isSameScale ? amounts?.cashback?.value ?? 0 : nil,
                currencyNumeric: total.currency.numeric,
                exponent: exponent
            )
        )
        // The lifecycle compares these three with the approved amounts.
        if isApproved { found.removeAll { [0x9F02, 0x9F03, 0x5F2A].contains($0.tag) } }
        var anomalies = found.map { found in
            let reported = found.chip.map(String.init) ?? "no number"
            return Anomaly(
                .chipAmountMismatch,
                "tag \(found.tag.hex) has \(reported), the payment has \(found.expected)"
            )
        }
        if let type, let code = chip[0x9C].flatMap({ BinaryCodedDecimal.number($0) }), code != type.code {
            anomalies.append(
                Anomaly(.chipAmountMismatch, "tag 9C has type \(code), the payment is a \(type.rawValue)")
            )
        }
        return anomalies
    }

    /// The chip's amounts in the form of approvals. Nil if the chip's exponent differs from the payment's.
    func chipAmounts(_ chip: ChipData) -> ChipAmounts? {
        guard let signed = chip.amountAuthorized, let total = amounts?.total,
            (chip.currencyExponent ?? exponent) == total.currency.exponent
        else { return nil }
        return ChipAmounts(authorized: signed, other: chip.amountOther ?? 0, currencyNumeric: chip.currencyNumeric)
    }
}
