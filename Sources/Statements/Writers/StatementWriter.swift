import Canonical
import Payments

/// Writes statements as their senders do, for simulations. The output is read back as the same lines, and its controls
/// hold as far as the lines add up.
package protocol StatementWriter: Sendable {
    /// The file with these lines, in this order. Line numbers are ignored; they follow from the file.
    ///
    /// - Throws: `StatementWriterError` for values that the format cannot hold.
    func write(_ lines: [StatementLine]) throws -> [UInt8]
}

/// The reason why a line cannot be written.
package struct StatementWriterError: Error, Hashable, Sendable {
    /// The index of the line, from 0.
    package var index: Int
    /// The value that is missing or cannot be expressed.
    package var detail: String

    package init(index: Int, _ detail: String) {
        self.index = index
        self.detail = detail
    }
}

extension StatementWriterError: CustomStringConvertible {
    package var description: String { "line \(index): \(detail)" }
}

/// The notation of values that writers put into a file.
enum WrittenText {
    /// `2026-01-02 03:04:05`
    static func time(_ wall: Timestamp) -> String {
        let text = wall.rfc3339
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(8))"
    }

    /// `20260102030405`
    static func compactTime(_ wall: Timestamp) -> String { time(wall).filter(\.isNumber) }

    /// `20260102`
    static func compact(_ day: CivilDate) -> String { day.description.filter(\.isNumber) }

    /// `1234.50`
    static func decimal(_ value: Int64, _ currency: Currency) -> String { Money(value, currency).decimalText }

    static func padded(_ number: Int64, _ digits: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(digits - text.utf8.count, 0)) + text
    }

    /// A text for use between quotes.
    static func quoted(_ text: String) -> String { "\"\(text.replacing("\"", with: "\"\""))\"" }

    /// A text for XML content and attributes.
    static func markup(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }

    /// The sum as `Int64`, if it fits.
    static func sum(_ amounts: some Sequence<Int64?>, index: Int) throws -> Int64 {
        guard let sum = Int64(exactly: amounts.reduce(Int128(0)) { $0 + Int128($1 ?? 0) }) else {
            throw StatementWriterError(index: index, "The sum of the lines does not fit.")
        }
        return sum
    }
}
