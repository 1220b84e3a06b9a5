package import Matching

/// A discrepancy that a reconciliation of the simulation must find.
package struct DiscrepancyTruth: Sendable, Hashable, Codable {
    package var exceptionClass: ExceptionClass
    /// False if it was not planted but follows from the payment's own outcome.
    package var isPlanted: Bool
    /// The app's name for the payment; nil if it is not about a payment.
    package var payment: String?
    /// The file, and the line's number in it, from 1; nil if it is not about a file, or not about a line.
    package var file: String?
    package var number: Int64?
    /// The amount that does not match in minor units, positive in the merchant's favour; nil if no money is wrong.
    package var amount: Int64?
    package var currency: String?

    package init(
        _ exceptionClass: ExceptionClass,
        isPlanted: Bool,
        payment: String?,
        file: String?,
        number: Int64?,
        amount: Int64?,
        currency: String?
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
