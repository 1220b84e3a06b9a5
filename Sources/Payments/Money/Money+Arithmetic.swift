extension Money {
    /// The sum.
    ///
    /// - Throws: `.currencyMismatch` or `.overflow`.
    package func adding(_ other: Money) throws(MoneyError) -> Money {
        try combined(with: other) { $0.addingReportingOverflow($1) }
    }

    /// The difference.
    ///
    /// - Throws: `.currencyMismatch` or `.overflow`.
    package func subtracting(_ other: Money) throws(MoneyError) -> Money {
        try combined(with: other) { $0.subtractingReportingOverflow($1) }
    }

    private func combined(
        with other: Money,
        _ combine: (Int64, Int64) -> (partialValue: Int64, overflow: Bool)
    ) throws(MoneyError) -> Money {
        guard currency == other.currency else { throw MoneyError(.currencyMismatch) }
        let (value, overflow) = combine(value, other.value)
        guard !overflow else { throw MoneyError(.overflow) }
        return Money(value, currency)
    }

    /// The amount with the opposite sign.
    ///
    /// - Throws: `.overflow` for `Int64.min`, which has no opposite.
    package func negated() throws(MoneyError) -> Money {
        try Money.zero(currency).subtracting(self)
    }

    /// The amount without its sign.
    ///
    /// - Throws: `.overflow` for `Int64.min`.
    package func magnitude() throws(MoneyError) -> Money {
        isNegative ? try negated() : self
    }

    /// The amount times a whole number.
    ///
    /// - Throws: `.overflow`.
    package func multiplied(by factor: Int64) throws(MoneyError) -> Money {
        let (value, overflow) = value.multipliedReportingOverflow(by: factor)
        guard !overflow else { throw MoneyError(.overflow) }
        return Money(value, currency)
    }

    /// The sum of amounts in `currency`; zero if there are none.
    ///
    /// The sum is computed in 128 bits: if the total fits, the order does not matter, even if a partial sum would not
    /// fit.
    ///
    /// - Throws: `.currencyMismatch` or `.overflow`.
    package static func sum(_ amounts: some Sequence<Money>, in currency: Currency) throws(MoneyError) -> Money {
        var sum: Int128 = 0
        for amount in amounts {
            guard amount.currency == currency else { throw MoneyError(.currencyMismatch) }
            sum += Int128(amount.value)
        }
        guard let value = Int64(exactly: sum) else { throw MoneyError(.overflow) }
        return Money(value, currency)
    }

    /// The whole number that replaces a fraction of a minor unit.
    package enum Rounding: Sendable, Hashable, CaseIterable {
        /// The nearest integer not above: for an upper limit that must not grow.
        case down
        /// The nearest integer not below.
        case up
        /// The nearest integer not farther from zero.
        case towardZero
        /// The nearest integer not closer to zero.
        case awayFromZero
        /// The nearest integer; halves are rounded away from zero: commercial rounding.
        case halfAwayFromZero
        /// The nearest integer; halves are rounded to the even neighbour.
        case halfToEven
    }

    /// This share of the amount, in basis points (1/100 of a percent): 10_000 is the whole amount, 12_500 is 25 % more.
    ///
    /// The product is computed in 128 bits, so only a result that does not fit overflows.
    ///
    /// - Throws: `.overflow`.
    package func scaled(byBasisPoints points: Int64, rounding: Rounding) throws(MoneyError) -> Money {
        let whole: UInt64 = 10_000
        let isNegative = (value < 0) != (points < 0)
        let product = value.magnitude.multipliedFullWidth(by: points.magnitude)
        guard product.high < whole else { throw MoneyError(.overflow) }
        var (quotient, remainder) = whole.dividingFullWidth(product)
        let growsMagnitude =
            switch rounding {
            case .down: isNegative && remainder > 0
            case .up: !isNegative && remainder > 0
            case .towardZero: false
            case .awayFromZero: remainder > 0
            case .halfAwayFromZero: remainder * 2 >= whole
            case .halfToEven: remainder * 2 > whole || (remainder * 2 == whole && !quotient.isMultiple(of: 2))
            }
        if growsMagnitude {
            let (next, overflow) = quotient.addingReportingOverflow(1)
            guard !overflow else { throw MoneyError(.overflow) }
            quotient = next
        }
        return Money(try Self.signed(quotient, isNegative: isNegative), currency)
    }

    /// - Throws: `.overflow`.
    static func signed(_ magnitude: UInt64, isNegative: Bool) throws(MoneyError) -> Int64 {
        guard magnitude <= (isNegative ? Int64.min.magnitude : Int64.max.magnitude) else {
            throw MoneyError(.overflow)
        }
        return isNegative ? Int64(truncatingIfNeeded: 0 &- magnitude) : Int64(magnitude)
    }
}
