package import Canonical
package import Payments
package import Reconciliation
package import Statements

/// One line of a statement.
package typealias StatementLineJSON = Joined<LinePlaceJSON, ReportedLineJSON>

/// The place of a line in its file.
package struct LinePlaceJSON: Codable, Sendable, Hashable {
    package var number: Int64
    package var id: UUID128
    package var repeated: Bool
}

/// A line as the file reports it. Positive amounts go to the merchant.
package struct ReportedLineJSON: Codable, Sendable, Hashable {
    package struct Fee: Codable, Sendable, Hashable {
        package var kind: String
        package var amount: Money
    }

    package var line: Int64
    package var type: LineType
    package var role: LineRole
    package var rawType: String?
    package var group: String?
    package var gross: Money?
    package var fees: Money?
    package var net: Money?
    package var amount: Money?
    package var fee: [Fee]?
    package var paid: Money?
    package var at: Timestamp?
    package var localTime: Timestamp?
    package var zone: String?
    package var day: String?
    package var bookedDay: String?
    package var valueDay: String?
    package var revision: Int64?
    package var status: String?
    /// Ids, numbers and names by `ReferenceKind.name`.
    package var references: JSONObject

    package init(_ line: PlacedLine) throws {
        let stored = try JSONValueDecoder().decode(StoredLine.self, parsing: line.reported)
        func money(_ value: Int64?) -> Money? { value.map { Money($0, stored.currency) } }
        self.line = stored.line
        type = stored.type
        role = stored.role ?? .own
        rawType = stored.raw
        group = line.group
        gross = money(stored.gross)
        fees = money(stored.fees)
        net = money(stored.net)
        amount = money(stored.amount)
        fee = stored.fee?.members.compactMap { member in
            member.value.int64.map { Fee(kind: member.key, amount: Money($0, stored.currency)) }
        }
        if let paid = stored.paid, let currency = stored.paidCurrency { self.paid = Money(paid, currency) }
        at = stored.at
        localTime = stored.localTime
        zone = stored.zone
        day = stored.day
        bookedDay = stored.bookedDay
        valueDay = stored.valueDay
        revision = stored.revision
        status = stored.status
        references = stored.references ?? [:]
    }

    /// The transaction's, else the booking's, else the value day.
    package var anyDay: String? { day ?? bookedDay ?? valueDay }

    package func reference(_ kind: ReferenceKind) -> String? { references[kind.name]?.string }
}

/// A line in the form of `StatementPart`.
private struct StoredLine: Decodable {
    var line: Int64
    var type: LineType
    var raw: String?
    var role: LineRole?
    var currency: Currency
    var gross: Int64?
    var net: Int64?
    var amount: Int64?
    var fees: Int64?
    var fee: JSONObject?
    var paid: Int64?
    var paidCurrency: Currency?
    var at: Timestamp?
    var localTime: Timestamp?
    var zone: String?
    var day: String?
    var bookedDay: String?
    var valueDay: String?
    var status: String?
    var revision: Int64?
    var references: JSONObject?
}

extension StatementLineJSON {
    package init(_ line: PlacedLine) throws {
        self.init(
            LinePlaceJSON(number: line.number, id: line.id, repeated: line.isRepeat),
            try ReportedLineJSON(line)
        )
    }
}
