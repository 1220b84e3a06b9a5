package import Matching

/// Something that a reconciliation of the simulated world has to find.
package struct DiscrepancyTruth: Sendable, Hashable, Codable {
    package var exceptionClass: ExceptionClass
    /// False where nobody planted it: it follows from what became of the payment itself.
    package var isPlanted: Bool
    /// The app's own name for the payment; nil where no payment is meant.
    package var payment: String?
    /// The file, and which of its lines, counted from 1; nil where no line is meant.
    package var file: String?
    package var number: Int64?
    /// Minor units that nobody explains, above zero to the merchant.
    package var amount: Int64
    package var currency: String

    package init(
        _ exceptionClass: ExceptionClass,
        isPlanted: Bool,
        payment: String?,
        file: String?,
        number: Int64?,
        amount: Int64,
        currency: String
    ) {
        self.exceptionClass = exceptionClass
        self.isPlanted = isPlanted
        self.payment = payment
        self.file = file
        self.number = number
        self.amount = amount
        self.currency = currency
    }

    private enum CodingKeys: String, CodingKey {
        case exceptionClass = "class"
        case isPlanted = "planted"
        case payment, file, number, amount, currency
    }
}
