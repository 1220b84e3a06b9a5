package import Matching
package import Payments

/// What fees are charged for.
package enum FeeSource: String, Codable, Sendable, Hashable, CaseIterable {
    /// Within lines of payments.
    case payments
    /// Other lines: fees alone, fees of chargebacks and payouts, and what posting rules explain.
    case lines
    /// Exceptions about fees: what is in suspense, or written off, and not in the account of fees.
    case exceptions
}

/// Fees with one name, and what the contract that was in force allows.
package struct FeeCharge: Sendable, Hashable {
    package var merchant: String?
    package var processor: String?
    package var brand: String?
    /// The part of the account `fees`.
    package var component: String?
    package var source: FeeSource
    /// Positive if the merchant was charged.
    package var amount: Money
    /// The number of lines with the fee.
    package var lines: Int64
    /// The gross of these lines; nil unless they are payments.
    package var volume: Money?
    /// The amount in hundredths of a basis point of the volume; nil without a volume.
    package var basisPointHundredths: Int64?
    package var contract: FeeContract?
    /// What the contract allows for the volume and the lines; nil without a contract.
    package var expected: Money?
    /// The amount less what was expected: above zero if more was charged than agreed.
    package var difference: Money?

    /// Fees in the order of their sums. Those with the same names and contract are one.
    ///
    /// - Throws: `BalanceError.overflow` if a figure exceeds 64 bits.
    package static func charges(
        _ sums: [FeeSum],
        by contracts: FeeContracts
    ) throws(BalanceError) -> [FeeCharge] {
        var charges: [FeeCharge] = []
        var places: [Key: Int] = [:]
        for sum in sums {
            let key = Key(sum, by: contracts)
            if let place = places[key] {
                try charges[place].add(sum)
            } else {
                places[key] = charges.count
                charges.append(FeeCharge(sum, key.contract))
            }
        }
        for place in charges.indices { try charges[place].compare() }
        return charges
    }

    private struct Key: Hashable {
        let merchant: String?
        let processor: String?
        let brand: String?
        let component: String?
        let source: FeeSource
        let currency: Currency
        let contract: FeeContract?

        init(_ sum: FeeSum, by contracts: FeeContracts) {
            merchant = sum.merchant
            processor = sum.processor
            brand = sum.brand
            component = sum.component
            source = sum.source
            currency = sum.amount.currency
            // Contracts are about payments.
            guard sum.source == .payments, let since = sum.since, let processor = sum.processor,
                let component = sum.component
            else {
                contract = nil
                return
            }
            contract = contracts.contract(
                of: processor,
                merchant: sum.merchant,
                brand: sum.brand,
                component: component,
                currency: sum.amount.currency.alpha,
                on: since
            )
        }
    }

    private init(_ sum: FeeSum, _ contract: FeeContract?) {
        merchant = sum.merchant
        processor = sum.processor
        brand = sum.brand
        component = sum.component
        source = sum.source
        amount = sum.amount
        lines = sum.lines
        volume = sum.source == .payments ? Money(sum.volume, sum.amount.currency) : nil
        self.contract = contract
    }

    private mutating func add(_ sum: FeeSum) throws(BalanceError) {
        func total(_ one: Int64, _ other: Int64) throws(BalanceError) -> Int64 {
            let (total, overflows) = one.addingReportingOverflow(other)
            guard !overflows, total != .min else { throw .overflow }
            return total
        }
        amount = Money(try total(amount.value, sum.amount.value), amount.currency)
        lines = try total(lines, sum.lines)
        if let volume { self.volume = Money(try total(volume.value, sum.volume), volume.currency) }
    }

    /// Computes what follows from amount, lines and volume. The whole is rounded once, and not each line.
    private mutating func compare() throws(BalanceError) {
        guard let volume else { return }
        let whole = Int128(FeeContract.whole)
        if volume.value != 0 {
            let rate = Self.rounded(Int128(amount.value) * whole, dividedBy: Int128(volume.value))
            basisPointHundredths = Int64(exactly: rate)
        }
        guard let contract else { return }
        let share = Self.rounded(Int128(volume.value) * Int128(contract.basisPointHundredths), dividedBy: whole)
        let allowed = try Self.fitting(share + Int128(contract.fixed) * Int128(lines))
        expected = Money(allowed, amount.currency)
        difference = Money(try Self.fitting(Int128(amount.value) - Int128(allowed)), amount.currency)
    }

    /// The nearest whole number; a half is rounded away from zero.
    private static func rounded(_ number: Int128, dividedBy divisor: Int128) -> Int128 {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        guard rest.magnitude * 2 >= divisor.magnitude else { return quotient }
        return quotient + number.signum() * divisor.signum()
    }

    private static func fitting(_ number: Int128) throws(BalanceError) -> Int64 {
        guard let fitting = Int64(exactly: number), fitting != .min else { throw .overflow }
        return fitting
    }
}
