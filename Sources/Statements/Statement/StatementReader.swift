package import Payments

/// Takes what is read, in the order of the file.
package typealias StatementSink = (StatementItem) throws -> Void

/// Reads one file of one format, piece by piece. What it keeps in memory does not grow with the file's lines, other
/// than for totals by payment or batch.
package protocol StatementReader: Sendable {
    /// Takes the next bytes, of any count.
    ///
    /// - Throws: `StatementProblem`, after which the reader is of no more use; and whatever `sink` throws.
    mutating func read(_ bytes: ArraySlice<UInt8>, into sink: StatementSink) throws

    /// Says that there are no more bytes.
    ///
    /// - Throws: As `read` does.
    mutating func finish(into sink: StatementSink) throws
}

/// What a file may leave open, and the importer knows.
package struct StatementOptions: Sendable, Hashable {
    /// For files that name no currency. Without it: US dollars, and a note says so.
    package var currency: Currency?
    /// For dates like `9/4/2018`. Without it the file's own dates decide, as far as they do.
    package var dateOrder: DateOrder?
    /// For `daybook-csv`: how another CSV is read.
    package var mapping: CSVMapping?

    package init(currency: Currency? = nil, dateOrder: DateOrder? = nil, mapping: CSVMapping? = nil) {
        self.currency = currency
        self.dateOrder = dateOrder
        self.mapping = mapping
    }
}

/// In which order a date of three numbers is written.
package enum DateOrder: String, Sendable, Hashable, CaseIterable {
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
