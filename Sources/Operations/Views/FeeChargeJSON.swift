package import Journal
import Matching
package import Payments

/// Fees with one name, and what the contract that was in force allows.
package struct FeeChargeJSON: Codable, Sendable, Hashable {
    /// The result of the comparison with a contract.
    package enum Comparison: String, Codable, Sendable, Hashable, CaseIterable {
        case agreed, differs
        case noContract = "no-contract"
    }

    /// The prices of a contract.
    package struct Contract: Codable, Sendable, Hashable {
        package var begins: String
        package var basisPointHundredths: Int64
        /// Minor units for each line.
        package var fixed: Int64
    }

    package var merchant: String?
    package var processor: String?
    package var brand: String?
    package var component: String?
    package var source: FeeSource
    package var amount: Money
    package var lines: Int64
    package var volume: Money?
    package var basisPointHundredths: Int64?
    package var comparison: Comparison
    package var contract: Contract?
    package var expected: Money?
    package var difference: Money?

    package init(_ charge: FeeCharge) {
        merchant = charge.merchant
        processor = charge.processor
        brand = charge.brand
        component = charge.component
        source = charge.source
        amount = charge.amount
        lines = charge.lines
        volume = charge.volume
        basisPointHundredths = charge.basisPointHundredths
        comparison = charge.difference.map { $0.isZero ? Comparison.agreed : .differs } ?? .noContract
        contract = charge.contract.map {
            Contract(begins: $0.begins, basisPointHundredths: $0.basisPointHundredths, fixed: $0.fixed)
        }
        expected = charge.expected
        difference = charge.difference
    }
}

/// The statement of fees.
package struct FeesJSON: Codable, Sendable, Hashable {
    package var asOfPosition: Int64?
    package var items: [FeeChargeJSON]
}
