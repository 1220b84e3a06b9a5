import Canonical
import Matching
import Payments
package import Statements

/// A line to be written to a file, with the discrepancies that a reconciliation must find.
struct PostedLine {
    struct Wrong {
        var exceptionClass: ExceptionClass
        var isPlanted: Bool
        var payment: String?
        /// The amount that does not match in minor units.
        var amount: Int64
        var currency: String
    }

    var line: StatementLine
    var wrongs: [Wrong] = []
    /// The app's name for the payment that explains the line; nil if there is none.
    var payment: String?
    /// The processor's id of the line's payout; nil if there is none, or if the payout has no other side.
    var payout: String?
    /// The account that has the money of the payment that the line was made from; nil if there is no payment.
    var holder: AccountPlace?
    /// The account that a recorded chargeback moves that money to.
    var disputed: AccountPlace?

    init(_ line: StatementLine) { self.line = line }

    /// The amount in minor units that it moves between payer and merchant.
    var paid: Int64 { line.transactionAmount?.value ?? line.gross ?? line.amount ?? 0 }

    /// - Parameter amount: The amount that does not match; nil for the whole amount.
    mutating func note(_ exceptionClass: ExceptionClass, isPlanted: Bool, of payment: String?, _ amount: Int64? = nil) {
        wrongs.append(
            Wrong(
                exceptionClass: exceptionClass,
                isPlanted: isPlanted,
                payment: payment,
                amount: amount ?? paid,
                currency: (line.transactionAmount?.currency ?? line.currency).alpha
            )
        )
    }
}

/// A statement file of the simulation.
package struct StatementFile: Sendable, Hashable {
    package var name: String
    package var format: StatementFormat
    package var bytes: [UInt8]
    package var lines: Int
}

struct Payout {
    var id: String
    var merchant: Merchant
    var processor: String
    /// Minor units; negative if the merchant pays.
    var amount: Int64
    var day: CivilDate
    /// Whether it ever arrives at the bank.
    var arrives: Bool
}
