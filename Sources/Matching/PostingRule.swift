package import Payments

/// Explains lines of a processor that are no payments by the account of the journal that has their money.
package struct PostingRule: Sendable, Hashable, Codable {
    /// The types of lines that only a posting rule or an exception explains.
    package enum LineType: String, Sendable, Hashable, Codable, CaseIterable {
        case adjustment, other
    }

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
