package import Canonical
import Payments

/// What happens to one statement file: the events of a `statement/<uuid>` stream. The stream's name follows from the
/// bytes of the file.
package enum StatementEvent: LedgerEvent {
    /// A file was read to its end and found well formed; what is in it follows.
    case importBegan(StatementImport)
    /// A part of what is in it.
    case partRecorded(StatementPart)
    /// Every part is recorded: from here on the lines count.
    case imported(StatementCompletion)
    /// It was read in the wrong way, or should not have been imported: from here on the lines do not count any more, and
    /// the same file can be imported again.
    case withdrawn(StatementWithdrawal)

    /// The names of the event types, as they are stored.
    package enum Name: String, Sendable, Hashable, CaseIterable {
        case importBegan = "StatementImportBegan"
        case partRecorded = "StatementPartRecorded"
        case imported = "StatementImported"
        case withdrawn = "StatementWithdrawn"
    }

    package var schema: Int { 1 }

    package var type: String {
        switch self {
        case .importBegan: Name.importBegan.rawValue
        case .partRecorded: Name.partRecorded.rawValue
        case .imported: Name.imported.rawValue
        case .withdrawn: Name.withdrawn.rawValue
        }
    }

    package func data() throws -> JSONValue {
        switch self {
        case .importBegan(let payload): try JSONValueEncoder().encode(payload)
        case .partRecorded(let payload): try JSONValue(parsing: payload.text.utf8)
        case .imported(let payload): try JSONValueEncoder().encode(payload)
        case .withdrawn(let payload): try JSONValueEncoder().encode(payload)
        }
    }

    /// - Throws: `UnknownEvent`, also for a part: parts are read by the database alone.
    package init(type: String, schema: Int, data: JSONValue) throws {
        let stored = try StoredEvent<Name>(type: type, schema: schema, data: data)
        switch stored.name {
        case .importBegan: self = .importBegan(try stored.payload())
        case .partRecorded: self = .partRecorded(StatementPart(text: data.text))
        case .imported: self = .imported(try stored.payload())
        case .withdrawn: self = .withdrawn(try stored.payload())
        }
    }
}

/// What is known of a file once it has been read to its end.
package struct StatementImport: Sendable, Hashable, Codable {
    /// A `StatementFormat`.
    package var format: String
    /// Who keeps the account: a `StatementSide`.
    package var side: String
    /// What the sender calls the file, without card data.
    package var name: String?
    /// SHA-256 of the bytes of the file, in hexadecimal digits.
    package var digest: String
    package var bytes: Int64
    /// What was decided for the file where it leaves something open.
    package var currency: String?
    package var dateOrder: String?
    /// SHA-256 of the mapping, for a CSV that was read by one.
    package var mapping: String?
    /// What the mapping says, as it was given.
    package var mappingRules: JSONValue?
    /// The statement of the same file that was withdrawn before.
    package var replaces: UUID128?
    package var lines: Int64
    package var controls: Int64
    /// The controls that do not hold.
    package var failedControls: Int64
    package var notes: Int64
    /// The days of its lines, where they have any: `2026-09-22`.
    package var firstDay: String?
    package var lastDay: String?
    package var totals: [StatementTotal]

    package init(
        format: String,
        side: String,
        name: String? = nil,
        digest: String,
        bytes: Int64,
        currency: String? = nil,
        dateOrder: String? = nil,
        mapping: String? = nil,
        mappingRules: JSONValue? = nil,
        replaces: UUID128? = nil,
        lines: Int64,
        controls: Int64,
        failedControls: Int64,
        notes: Int64,
        firstDay: String? = nil,
        lastDay: String? = nil,
        totals: [StatementTotal]
    ) {
        self.format = format
        self.side = side
        self.name = name
        self.digest = digest
        self.bytes = bytes
        self.currency = currency
        self.dateOrder = dateOrder
        self.mapping = mapping
        self.mappingRules = mappingRules
        self.replaces = replaces
        self.lines = lines
        self.controls = controls
        self.failedControls = failedControls
        self.notes = notes
        self.firstDay = firstDay
        self.lastDay = lastDay
        self.totals = totals
    }
}

/// What the lines of one type come to, without those whose money is in the total of others. Minor units.
package struct StatementTotal: Sendable, Hashable, Codable {
    /// A `LineType`.
    package var type: String
    package var currency: String
    package var lines: Int64
    package var gross: Int64
    package var fees: Int64
    /// What they move on the account.
    package var amount: Int64

    package init(
        type: String,
        currency: String,
        lines: Int64,
        gross: Int64,
        fees: Int64,
        amount: Int64
    ) {
        self.type = type
        self.currency = currency
        self.lines = lines
        self.gross = gross
        self.fees = fees
        self.amount = amount
    }
}

/// Why a statement does not count any more.
package struct StatementWithdrawal: Sendable, Hashable, Codable {
    package var reason: String

    package init(reason: String) {
        self.reason = reason
    }
}

/// How many parts there are.
package struct StatementCompletion: Sendable, Hashable, Codable {
    package var parts: Int64

    package init(parts: Int64) {
        self.parts = parts
    }
}
