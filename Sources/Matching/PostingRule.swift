package import Payments

/// Explains lines of a processor that are no payments by the account of the journal that has their money.
package struct PostingRule: Sendable, Hashable, Codable {
    /// The types of lines that a posting rule may explain.
    package enum LineType: String, Sendable, Hashable, Codable, CaseIterable {
        case adjustment, other, fee, reserve
        case reserveRelease = "reserve-release"
        case conversion, transfer, deposit, withdrawal

        /// True if the journal has an account for the type, which has the money unless a rule names another one.
        package var hasAccount: Bool { self != .adjustment && self != .other }

        /// True if a line of a bank may answer it: such lines are compared with the transfers on bank accounts.
        package var isTransfer: Bool {
            switch self {
            case .transfer, .deposit, .withdrawal: true
            case .adjustment, .other, .fee, .reserve, .reserveRelease, .conversion: false
            }
        }
    }

    /// The types that are explained without a rule, unless the rules of the tenant say otherwise.
    package static let standardExplainedTypes: [LineType] = [.fee, .reserve, .reserveRelease]

    /// The name under which runs record the two lines that carry a balance over to the next period. They stay in the
    /// receivable of their processor.
    package static let carriedOver = "carried-over"

    /// Unique among the posting rules.
    package var name: String
    package var type: LineType
    /// The line's type in the words of its file, compared without case; nil for any.
    package var rawType: String?
    /// The format of the file; nil for any.
    package var format: String?
    package var account: Account
    /// The part of the account; nil if the account has none.
    package var part: String?

    package init(
        _ name: String,
        _ type: LineType,
        rawType: String? = nil,
        format: String? = nil,
        account: Account,
        part: String? = nil
    ) {
        self.name = name
        self.type = type
        self.rawType = rawType
        self.format = format
        self.account = account
        self.part = part
    }

    /// The accounts that a rule may name. The others follow from payments, payouts and exceptions alone.
    package static let accounts: [Account] = [
        .fees, .reserve, .sales, .refunds, .surcharge, .taxPayable, .tipsPayable, .giftLiability, .disputeLoss,
        .writeOff, .rounding,
    ]
}
