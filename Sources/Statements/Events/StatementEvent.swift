package import Canonical
package import Payments

/// The events of one statement file, on a `statement/<uuid>` stream. The stream's name is derived from the bytes of the
/// file.
package enum StatementEvent: LedgerEvent {
    /// A file was read completely and is well formed; its contents follow.
    case importBegan(StatementImport)
    /// A part of its contents.
    case partRecorded(StatementPart)
    /// Every part is recorded: from now on the lines count.
    case imported(StatementCompletion)
    /// The file was read incorrectly, or should not have been imported: from now on its lines no longer count, and the
    /// same file can be imported again.
    case withdrawn(StatementWithdrawal)

    /// The names of the event types, as stored.
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

    package var payload: any Encodable {
        switch self {
        case .importBegan(let payload): payload
        case .partRecorded(let payload): StoredJSON(payload.text)
        case .imported(let payload): payload
        case .withdrawn(let payload): payload
        }
    }

    /// - Throws: `UnknownEvent`, also for a part: only the database reads parts.
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

/// The facts about a file once it has been read completely.
package struct StatementImport: Sendable, Hashable, Codable {
    /// A `StatementFormat`.
    package var format: String
    /// The keeper of the account: a `StatementSide`.
    package var side: String
    /// The sender's name of the file, without card data.
    package var name: String?
    /// SHA-256 of the bytes of the file, in hexadecimal digits.
    package var digest: String
    package var bytes: Int64
    /// The choices made for the file if it leaves something open.
    package var currency: String?
    package var dateOrder: String?
    /// SHA-256 of the mapping, for a CSV that was read with one.
    package var mapping: String?
    /// The content of the mapping, as given.
    package var mappingRules: JSONValue?
    /// The withdrawn statement of the same file.
    package var replaces: UUID128?
    package var lines: Int64
    package var controls: Int64
    /// The number of controls that do not hold.
    package var failedControls: Int64
    package var notes: Int64
    /// The first and last day of its lines, if they have any: `2026-09-22`.
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

/// The totals of the lines of one type, without lines whose money is in the total of others. In minor units.
package struct StatementTotal: Sendable, Hashable, Codable {
    /// A `LineType`.
    package var type: String
    package var currency: String
    package var lines: Int64
    package var gross: Int64
    package var fees: Int64
    /// The sum that they move on the account.
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

/// Why a statement no longer counts.
package struct StatementWithdrawal: Sendable, Hashable, Codable {
    package var reason: String
    /// The operators who proposed and approved it; nil for an interrupted import, of which no line counted.
    package var approval: ChangeApproval?

    package init(reason: String, approval: ChangeApproval? = nil) {
        self.reason = reason
        self.approval = approval
    }
}

/// The number of parts.
package struct StatementCompletion: Sendable, Hashable, Codable {
    package var parts: Int64

    package init(parts: Int64) {
        self.parts = parts
    }
}
