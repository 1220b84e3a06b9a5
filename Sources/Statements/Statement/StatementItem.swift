package import Canonical
package import Payments

/// One item read from a statement, in the order of the file.
package enum StatementItem: Sendable, Hashable {
    /// The section of the lines that follow, until the next section.
    case section(StatementSection)
    case line(StatementLine)
    /// A total, count or balance in the file, compared with the file's contents.
    case control(StatementControl)
    /// Something that was recognised but not understood, or read in one of several possible ways.
    case note(StatementNote)
}

/// One account's part of a file: a statement, a group, a payment or a batch with its header.
package struct StatementSection: Sendable, Hashable {
    /// The 1-based physical line on which it begins.
    package var line: Int
    /// The sender's id of a statement or a file.
    package var id: String?
    /// The account or the payee.
    package var account: String?
    package var currency: Currency?
    package var from: CivilDate?
    package var to: CivilDate?
    /// The opening balance in minor units, if the file states one.
    package var opening: Int64?
    /// The closing balance in minor units, if the file states one.
    package var closing: Int64?

    package init(
        line: Int,
        id: String? = nil,
        account: String? = nil,
        currency: Currency? = nil,
        from: CivilDate? = nil,
        to: CivilDate? = nil,
        opening: Int64? = nil,
        closing: Int64? = nil
    ) {
        self.line = line
        self.id = id
        self.account = account
        self.currency = currency
        self.from = from
        self.to = to
        self.opening = opening
        self.closing = closing
    }
}

/// A remark for the user who imports the file.
package struct StatementNote: Sendable, Hashable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A record or element without a rule; nothing was read from it.
        case unknownRecord = "unknown-record"
        /// A type or reason code without a rule; the line was kept as `other`.
        case unknownCode = "unknown-code"
        /// The file names no currency, and a default was used.
        case assumedCurrency = "assumed-currency"
        /// The file does not show the order of dates, and month before day was assumed.
        case assumedDateOrder = "assumed-date-order"
        /// Text was not UTF-8 and was read as Windows-1252, which includes Latin-1.
        case assumedEncoding = "assumed-encoding"
        /// An unknown zone name; local times were kept without an instant.
        case unknownZone = "unknown-zone"
        /// The same batch key occurs twice in the file.
        case duplicateBatch = "duplicate-batch"
        /// A check that could not be made, and why.
        case unchecked
        /// A record with information that no line has, such as pricing below the minor unit.
        case information
    }

    package var code: Code
    package var line: Int
    /// A description for the user. Never card data.
    package var detail: String

    package init(_ code: Code, line: Int, _ detail: String) {
        self.code = code
        self.line = line
        self.detail = detail
    }
}
