/// Why a file cannot be read, and where. Contains no values of the file, since they could be card data; codes and names
/// of records are the exception.
package struct StatementProblem: Error, Hashable, Sendable {
    /// Stable names.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// Nothing of the expected format was found.
        case unknownFormat = "unknown-format"
        /// The file is empty.
        case empty
        /// The file ends within a record, an element, or before its trailer.
        case truncated
        /// A row or record that does not have the form of the format.
        case malformedRow = "malformed-row"
        /// A record in a place where the format has none, such as a trailer without a header.
        case misplacedRecord = "misplaced-record"
        /// A record of an unknown type that cannot be skipped.
        case unknownRecord = "unknown-record"
        /// A fixed-width record that ends before a required field.
        case recordTooShort = "record-too-short"
        /// A required column or element is missing.
        case missingColumn = "missing-column"
        /// The same column twice.
        case duplicateColumn = "duplicate-column"
        /// A required value is missing.
        case missingValue = "missing-value"
        /// Not an amount of its currency: the form, decimals or size is wrong.
        case badAmount = "bad-amount"
        /// Not a whole number.
        case badNumber = "bad-number"
        /// Not a day or time of the expected form.
        case badDate = "bad-date"
        /// Days that can be read in two ways, with nothing in the file to decide.
        case ambiguousDate = "ambiguous-date"
        case unknownCurrency = "unknown-currency"
        /// The file names no currency, and none was given.
        case missingCurrency = "missing-currency"
        /// An unknown code that would decide the sign of an amount.
        case unknownCode = "unknown-code"
        /// The bytes are not in the declared encoding.
        case badEncoding = "bad-encoding"
        /// A document type declaration or an entity declared in the file; both are refused.
        case refusedMarkup = "refused-markup"
        /// Longer, deeper or with more parts than the limits allow.
        case tooLarge = "too-large"
        /// The mapping of a CSV is invalid.
        case badMapping = "bad-mapping"
    }

    /// The place on a line.
    package enum Column: Hashable, Sendable {
        /// The 1-based character position, in bytes.
        case character(Int)
        /// The column or field with this name.
        case named(String)
    }

    package var code: Code
    /// The 1-based physical line; 0 for a problem of the whole file.
    package var line: Int
    package var column: Column?
    /// The expectation, as readable text.
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
