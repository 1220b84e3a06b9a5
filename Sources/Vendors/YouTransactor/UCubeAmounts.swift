import EMV
import Payments

/// The amount, currency and type a payment was asked for: members of `UCubePaymentRequest` and `PaymentContext` alike.
struct UCubeAmounts {
    private(set) var currency: Currency?
    /// The decimals of the figures, as the SDK's `Currency` says.
    private(set) var exponent: Int?
    /// What is paid in whole; nil where the document does not tell.
    private(set) var amounts: Amounts?
    private(set) var anomalies: [Anomaly] = []

    /// - Parameter chip: What the chip was told: the amount where the terminal asked for it (`-1` on Android, 0 on iOS),
    ///   and the cashback, which the SDK has no member for.
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
                Anomaly(.amountScaleAssumed, "no exponent is told; amounts were read as ISO 4217 has \(currency.alpha)")
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

    /// Tag 9F03 is inside of the amount.
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

    /// What the chip was told besides what is compared when the payment is approved.
    func chipAnomalies(_ chip: ChipData, type: UCubeTransactionType?, isApproved: Bool) -> [Anomaly] {
        guard let total = amounts?.total else { return [] }
        // The chip counts in its own exponent; only where it is the same can the figures be compared.
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
        // The lifecycle compares these three with what was approved.
        if isApproved { found.removeAll { [0x9F02, 0x9F03, 0x5F2A].contains($0.tag) } }
        var anomalies = found.map { found in
            let reported = found.chip.map(String.init) ?? "no number"
            return Anomaly(.chipAmountMismatch, "tag \(found.tag.hex) says \(reported), the payment \(found.expected)")
        }
        if let type, let code = chip[0x9C].flatMap({ BinaryCodedDecimal.number($0) }), code != type.code {
            anomalies.append(
                Anomaly(.chipAmountMismatch, "tag 9C says type \(code), the payment is a \(type.rawValue)")
            )
        }
        return anomalies
    }

    /// As approvals carry it. Nil where the chip counts in another exponent than the payment does.
    func chipAmounts(_ chip: ChipData) -> ChipAmounts? {
        guard let signed = chip.amountAuthorized, let total = amounts?.total,
            (chip.currencyExponent ?? exponent) == total.currency.exponent
        else { return nil }
        return ChipAmounts(authorized: signed, other: chip.amountOther ?? 0, currencyNumeric: chip.currencyNumeric)
    }
}
