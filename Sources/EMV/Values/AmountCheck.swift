/// Compares the amounts the chip received with the amounts of the payment.
package enum AmountCheck {
    /// The values of the payment, amounts in minor units. Nil values are not compared.
    package struct Expectation: Sendable, Hashable {
        /// The whole amount, cashback included.
        package var total: Int64?
        package var cashback: Int64?
        /// The ISO 4217 number.
        package var currencyNumeric: Int?
        /// The number of decimals of the currency.
        package var exponent: Int?

        package init(total: Int64?, cashback: Int64? = nil, currencyNumeric: Int? = nil, exponent: Int? = nil) {
            self.total = total
            self.cashback = cashback
            self.currencyNumeric = currencyNumeric
            self.exponent = exponent
        }
    }

    /// One tag that disagrees. Values as numbers; nil if the bytes are not a number.
    package struct Disagreement: Sendable, Hashable {
        package var tag: EMVTag
        package var chip: Int64?
        package var expected: Int64
    }

    /// The tags that are present and disagree, in the order 9F02, 81, 9F03, 5F2A, 5F36. If the payment has no cashback
    /// value, zero is expected, but only if the total is known.
    package static func disagreements(_ chip: ChipData, with expected: Expectation) -> [Disagreement] {
        let cashback = expected.cashback ?? (expected.total == nil ? nil : 0)
        let comparisons: [(EMVTag, Int64?, Int64?)] = [
            (0x9F02, chip[0x9F02].flatMap { BinaryCodedDecimal.number($0) }, expected.total),
            (0x81, chip.binaryAmount, expected.total),
            (0x9F03, chip.amountOther, cashback),
            (0x5F2A, chip.currencyNumeric.map(Int64.init), expected.currencyNumeric.map(Int64.init)),
            (0x5F36, chip.currencyExponent.map(Int64.init), expected.exponent.map(Int64.init)),
        ]
        return comparisons.compactMap { tag, reported, expected in
            guard chip[tag] != nil, let expected, reported != expected else { return nil }
            return Disagreement(tag: tag, chip: reported, expected: expected)
        }
    }
}
