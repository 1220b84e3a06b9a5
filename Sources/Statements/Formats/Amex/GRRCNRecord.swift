import Canonical
import Payments
import Tables

/// A record of GRRCN and its fields by place; place 0 is the record's name (American Express, Global Reconciliation
/// File).
struct GRRCNRecord {
    let row: CSVRow

    var line: Int { row.line }

    subscript(place: Int, name: String) -> Field {
        Field(place < row.count ? row[place] : [], line: row.line, column: .named(name))
    }

    /// A blank or a minus, and 15 digits of minor units. An empty field counts as zero.
    func amount(_ place: Int, _ name: String, _ currency: Currency) throws(StatementProblem) -> Int64 {
        try self[place, name].optionalAmount(currency, .minor) ?? 0
    }

    func requires(_ count: Int) throws {
        guard row.count >= count else {
            throw StatementProblem(
                .recordTooShort,
                line: row.line,
                "The record has \(row.count) fields, \(count) are needed."
            )
        }
    }
}

/// The payment of a record: fields 1 to 5 of every record except headers and trailers.
struct GRRCNPayment: Hashable, Sendable {
    var payee: String
    var account: String
    var number: String
    var day: CivilDate?
    var currency: Currency

    /// - Parameter hasAccountType: False for records of fees, which have no account type.
    init(_ record: GRRCNRecord, _ currencies: inout CurrencyMemory, hasAccountType: Bool = true) throws {
        let shift = hasAccountType ? 0 : -1
        payee = record[1, "payee merchant id"].id ?? ""
        account = hasAccountType ? record[2, "settlement account type"].id ?? "" : ""
        number = record[3 + shift, "payment number"].id ?? ""
        day = try record[4 + shift, "payment date"].optionalDay()
        currency = try currencies.currency(record[5 + shift, "payment currency"])
    }

    /// The same payment without the account type.
    var withoutAccount: Self {
        var payment = self
        payment.account = ""
        return payment
    }

    var name: String { "payment \(number)\(account.isEmpty ? "" : " account \(account)")" }
}
