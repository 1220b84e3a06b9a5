package import Canonical
package import Payments

/// One thing that is read from a statement, in the order of the file.
package enum StatementItem: Sendable, Hashable {
    /// What the lines that follow belong to, until the next section.
    case section(StatementSection)
    case line(StatementLine)
    /// A total, count or balance that stands in the file, compared with what the file holds.
    case control(StatementControl)
    /// Something that was recognised and not understood, or taken in one of several ways.
    case note(StatementNote)
}

/// One account's part of a file: a statement, a group, a payment or a batch with its header.
package struct StatementSection: Sendable, Hashable {
    /// The 1-based physical line on which it begins.
    package var line: Int
    /// The sender's name for it: a statement's or a file's id.
    package var id: String?
    /// The account or the payee.
    package var account: String?
    package var currency: Currency?
    package var from: CivilDate?
    package var to: CivilDate?
    /// Opening balance in minor units, where the file states one.
    package var opening: Int64?
    /// Closing balance in minor units, where the file states one.
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

/// A remark for the person who imports the file.
package struct StatementNote: Sendable, Hashable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// A record or element no rule is known for; nothing was read from it.
        case unknownRecord = "unknown-record"
        /// A type or reason code no rule is known for; the line was kept as `other`.
        case unknownCode = "unknown-code"
        /// The file names no currency, and a default was taken.
        case assumedCurrency = "assumed-currency"
        /// The file does not tell how dates are ordered, and month before day was taken.
        case assumedDateOrder = "assumed-date-order"
        /// Text was not UTF-8 and was read as Windows-1252, which includes Latin-1.
        case assumedEncoding = "assumed-encoding"
        /// A zone's name is not known; local times were kept without an instant.
        case unknownZone = "unknown-zone"
        /// The same batch key stands twice in the file.
        case duplicateBatch = "duplicate-batch"
        /// Something that is usually checked could not be, and why.
        case unchecked
        /// A record with information that is in no line, such as pricing below the minor unit.
        case information
    }

    package var code: Code
    package var line: Int
    /// What it was, for people. Never card data.
    package var detail: String

    package init(_ code: Code, line: Int, _ detail: String) {
        self.code = code
        self.line = line
        self.detail = detail
    }
}
