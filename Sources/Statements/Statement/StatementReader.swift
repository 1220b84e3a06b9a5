package import Payments

/// Receives the items of a file, in its order.
package typealias StatementSink = (StatementItem) throws -> Void

/// Reads one file of one format, piece by piece. Its memory does not grow with the file's lines, except for totals by
/// payment or batch.
package protocol StatementReader: Sendable {
    /// Reads the next bytes, of any number.
    ///
    /// - Throws: `StatementProblem`, after which the reader is unusable; and the errors of `sink`.
    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws

    /// Called after the last bytes.
    ///
    /// - Throws: As `read` does.
    mutating func finish(into sink: StatementSink) throws
}

/// Facts that a file may leave open and the user who imports it knows.
package struct StatementOptions: Sendable, Hashable {
    /// For files that name no currency. Without it US dollars are assumed, with a note.
    package var currency: Currency?
    /// For dates like `9/4/2018`. Without it the file's own dates decide, if they can.
    package var dateOrder: DateOrder?
    /// For `daybook-csv`: how to read another CSV.
    package var mapping: CSVMapping?

    package init(currency: Currency? = nil, dateOrder: DateOrder? = nil, mapping: CSVMapping? = nil) {
        self.currency = currency
        self.dateOrder = dateOrder
        self.mapping = mapping
    }
}

/// The order of a date of three numbers.
package enum DateOrder: String, Codable, Sendable, Hashable, CaseIterable {
    case yearMonthDay = "ymd"
    case monthDayYear = "mdy"
    case dayMonthYear = "dmy"
}

extension StatementReader {
    /// Reads a whole file.
    package mutating func items(_ bytes: some Sequence<UInt8>) throws -> [StatementItem] {
        var items: [StatementItem] = []
        try read(Array(bytes)[...]) { items.append($0) }
        try finish { items.append($0) }
        return items
    }
}
