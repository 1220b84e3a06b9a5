/// Why a file cannot be read, and where. Never holds what stands in the file, as that could be card data; codes and
/// names of records are the exception.
package struct StatementProblem: Error, Hashable, Sendable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing of the expected format is there.
        case unknownFormat = "unknown-format"
        /// The file is empty.
        case empty
        /// The file ends within a record, an element, or before its trailer.
        case truncated
        /// A row or record that is not put together as the format has it.
        case malformedRow = "malformed-row"
        /// A record where the format has none, such as a trailer without a header.
        case misplacedRecord = "misplaced-record"
        /// A record of a type that the format does not have, where it cannot be passed over.
        case unknownRecord = "unknown-record"
        /// A fixed-width record that ends before a field that is needed.
        case recordTooShort = "record-too-short"
        /// A column or element that is needed and missing.
        case missingColumn = "missing-column"
        /// The same column twice.
        case duplicateColumn = "duplicate-column"
        /// A needed value is not given.
        case missingValue = "missing-value"
        /// Not an amount of its currency: its form, its decimals or its size.
        case badAmount = "bad-amount"
        /// Not a whole number.
        case badNumber = "bad-number"
        /// Not a day or time of the expected form.
        case badDate = "bad-date"
        /// Days that may be read in two ways, and the file does not tell which.
        case ambiguousDate = "ambiguous-date"
        case unknownCurrency = "unknown-currency"
        /// No currency stands in the file, and none was given.
        case missingCurrency = "missing-currency"
        /// A code whose sense decides the sign of an amount, and which no rule is known for.
        case unknownCode = "unknown-code"
        /// Not the encoding it says it has.
        case badEncoding = "bad-encoding"
        /// A document type declaration or an entity of the file's own, which are refused.
        case refusedMarkup = "refused-markup"
        /// Longer, deeper or of more parts than is read.
        case tooLarge = "too-large"
        /// The mapping of a CSV is not one.
        case badMapping = "bad-mapping"
    }

    /// Where on a line.
    package enum Column: Hashable, Sendable {
        /// The 1-based character, in bytes.
        case character(Int)
        /// The column or field with this name.
        case named(String)
    }

    package var code: Code
    /// The 1-based physical line; 0 for a problem of the whole file.
    package var line: Int
    package var column: Column?
    /// What was expected, for people.
    package var detail: String

    package init(_ code: Code, line: Int, column: Column? = nil, _ detail: String) {
        self.code = code
        self.line = line
        self.column = column
        self.detail = detail
    }
}

extension StatementProblem: CustomStringConvertible {
    package var description: String {
        let place =
            switch column {
            case .character(let position): ", character \(position)"
            case .named(let name): ", \(name)"
            case nil: ""
            }
        return line > 0 ? "line \(line)\(place): \(detail) (\(code.rawValue))" : "\(detail) (\(code.rawValue))"
    }
}
