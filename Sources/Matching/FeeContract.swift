/// What a processor may charge for one component of the fees of payments, as it was agreed with the processor.
package struct FeeContract: Sendable, Hashable, Codable {
    /// The format of the processor's files, by which the ledger knows the processor.
    package var processor: String
    /// The merchant that the files name; nil for all merchants without a contract.
    package var merchant: String?
    /// The brand as lines name it, compared without case; nil for every brand without a contract.
    package var brand: String?
    /// The kind of the fee, such as `interchange`.
    package var component: String
    package var currency: String
    /// The first business day on which it holds, until a later contract about the same begins: `2026-03-01`.
    package var begins: String
    /// Hundredths of a basis point of the volume, which are millionths: 2,050 is 0.205 percent.
    package var basisPointHundredths: Int64
    /// Minor units for each line.
    package var fixed: Int64

    package init(
        processor: String,
        merchant: String? = nil,
        brand: String? = nil,
        component: String,
        currency: String,
        begins: String,
        basisPointHundredths: Int64,
        fixed: Int64 = 0
    ) {
        self.processor = processor
        self.merchant = merchant
        self.brand = brand
        self.component = component
        self.currency = currency
        self.begins = begins
        self.basisPointHundredths = basisPointHundredths
        self.fixed = fixed
    }

    /// The hundredths of a basis point in the whole.
    package static let whole: Int64 = 1_000_000

    /// Whether the two differ in their prices alone.
    func isAboutTheSame(as other: FeeContract) -> Bool {
        processor == other.processor && merchant == other.merchant
            && brand?.lowercased() == other.brand?.lowercased() && component == other.component
            && currency == other.currency && begins == other.begins
    }

    /// Whether it is about more specific fees than another one, or else begins later. The merchant counts before the
    /// brand.
    fileprivate func comesBefore(_ other: FeeContract) -> Bool {
        if (merchant == nil) != (other.merchant == nil) { return merchant != nil }
        if (brand == nil) != (other.brand == nil) { return brand != nil }
        return begins > other.begins
    }
}

/// The contracts of a tenant, by what they are about.
package struct FeeContracts: Sendable {
    private struct Key: Hashable {
        let processor: String
        let component: String
        let currency: String
    }

    private let contracts: [Key: [FeeContract]]
    /// The days on which contracts begin, the earliest first. Between two of them the contract of a fee is the same.
    package let days: [String]

    package init(_ contracts: [FeeContract]) {
        days = Set(contracts.map(\.begins)).sorted()
        self.contracts = Dictionary(grouping: contracts) {
            Key(processor: $0.processor, component: $0.component, currency: $0.currency)
        }.mapValues { $0.sorted { $0.comesBefore($1) } }
    }

    /// The contract about a fee that holds on a day: the merchant's own one, then the brand's, then the one that began
    /// last.
    ///
    /// - Parameter day: The day, as `2026-03-01`.
    package func contract(
        of processor: String,
        merchant: String?,
        brand: String?,
        component: String,
        currency: String,
        on day: String
    ) -> FeeContract? {
        let brand = brand?.lowercased()
        return contracts[Key(processor: processor, component: component, currency: currency)]?.first { contract in
            (contract.merchant == nil || contract.merchant == merchant)
                && (contract.brand == nil || contract.brand?.lowercased() == brand) && contract.begins <= day
        }
    }
}
