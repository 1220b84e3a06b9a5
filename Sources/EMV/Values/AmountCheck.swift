/// Compares what the chip was told with the amounts of the payment.
package enum AmountCheck {
    /// What the payment says, in minor units. Nil is not compared.
    package struct Expectation: Sendable, Hashable {
        /// The whole amount, cashback included.
        package var total: Int64?
        package var cashback: Int64?
        /// The number of ISO 4217.
        package var currencyNumeric: Int?
        /// The decimals of the currency.
        package var exponent: Int?

        package init(total: Int64?, cashback: Int64? = nil, currencyNumeric: Int? = nil, exponent: Int? = nil) {
            self.total = total
            self.cashback = cashback
            self.currencyNumeric = currencyNumeric
            self.exponent = exponent
        }
    }

    /// One tag that says otherwise. Values as numbers; nil where the bytes are no number.
    package struct Disagreement: Sendable, Hashable {
        package var tag: EMVTag
        package var chip: Int64?
        package var expected: Int64
    }

    /// The tags that are there and disagree, in the order 9F02, 81, 9F03, 5F2A, 5F36. A cashback that the payment does
    /// not tell is expected to be zero only where the total is told.
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
