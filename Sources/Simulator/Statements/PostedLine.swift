import Canonical
import Matching
import Payments
package import Statements

/// A line on its way into a file, with what a reconciliation has to find about it.
struct PostedLine {
    struct Wrong {
        var exceptionClass: ExceptionClass
        var isPlanted: Bool
        var payment: String?
        /// Minor units that nobody explains.
        var amount: Int64
        var currency: String
    }

    var line: StatementLine
    var wrongs: [Wrong] = []
    /// The app's own name for the payment that explains it; nil where none does.
    var payment: String?
    /// The processor's id of the payout that it is one side of; nil where there is none, or no other side.
    var payout: String?

    init(_ line: StatementLine) { self.line = line }

    /// Minor units of what it moves between payer and merchant.
    var paid: Int64 { line.transactionAmount?.value ?? line.gross ?? line.amount ?? 0 }

    /// - Parameter amount: What nobody explains; nil for all of it.
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

/// A statement file of the simulated world.
package struct StatementFile: Sendable, Hashable {
    package var name: String
    package var format: StatementFormat
    package var bytes: [UInt8]
    package var lines: Int
}

/// What a processor paid out.
struct Payout {
    var id: String
    var merchant: Merchant
    var processor: String
    /// Minor units; below zero where the merchant pays.
    var amount: Int64
    var day: CivilDate
    /// Whether the bank ever sees it.
    var arrives: Bool
}
