/// A list of texts as the text form of a PostgreSQL array, `{"a","b"}`, which SQL casts to `text[]`. Statements take
/// lists of many rows in this form, because a parameter that is an array of arrays must be rectangular.
package struct PostgresListText: Sendable {
    private var elements: [UInt8] = [UInt8(ascii: "{")]

    /// - Parameter count: The bytes to reserve.
    package init(reserving count: Int = 0) {
        elements.reserveCapacity(count)
    }

    package init(_ texts: [String]) {
        for text in texts { append(text) }
    }

    /// The text as UTF-8.
    package var bytes: [UInt8] { elements + [UInt8(ascii: "}")] }

    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append($0) }
    }

    /// Appends well-formed UTF-8.
    package mutating func append(_ text: UnsafeBufferPointer<UInt8>) {
        if elements.count > 1 { elements.append(UInt8(ascii: ",")) }
        elements.append(UInt8(ascii: "\""))
        for byte in text {
            // Between quotation marks, only these two have a meaning.
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { elements.append(UInt8(ascii: "\\")) }
            elements.append(byte)
        }
        elements.append(UInt8(ascii: "\""))
    }
}
