package import Payments

/// A receipt as monospaced text.
package struct ReceiptText: Sendable {
    package typealias Copy = ReceiptCopy

    /// The widths a printer may have, in characters.
    package static let widths = 24...80

    private let width: Int
    private var bytes: [UInt8] = []

    /// The text of `receipt`: lines of at most `width` characters, each ended by a line feed.
    ///
    /// - Parameter tipLine: Whether to print a line for a tip if one can still be added.
    package static func render(
        _ receipt: Receipt,
        copy: ReceiptCopy,
        width: Int = 42,
        tipLine: Bool = false
    ) -> String {
        var text = ReceiptText(width: min(max(width, widths.lowerBound), widths.upperBound))
        text.write(ReceiptLayout(receipt, copy: copy, tipLine: tipLine))
        return String(decoding: text.bytes, as: UTF8.self)
    }

    private init(width: Int) {
        self.width = width
        bytes.reserveCapacity(2_048)
    }

    private mutating func write(_ layout: ReceiptLayout) {
        centre(layout.title)
        if let mark = layout.mark { centre("*** \(mark) ***") }
        for group in layout.groups + [layout.amounts] where !group.lines.isEmpty {
            rule()
            for line in group.lines { pair(line.label, line.value) }
        }
        for label in layout.blanks {
            endLine()
            add(label)
            add(" ")
            add("_", times: width - label.count - 1)
            endLine()
        }
        rule()
        for statement in layout.statements { centre(statement) }
        if layout.isSigned {
            endLine()
            add("x")
            add("_", times: width - 1)
            endLine()
            centre("SIGNATURE")
        }
        centre(layout.footer)
    }

    private mutating func add(_ text: some StringProtocol) { bytes.append(contentsOf: text.utf8) }

    private mutating func add(_ character: Unicode.Scalar, times: Int) {
        bytes.append(contentsOf: repeatElement(UInt8(ascii: character), count: times))
    }

    private mutating func endLine() { bytes.append(UInt8(ascii: "\n")) }

    private mutating func rule() {
        add("-", times: width)
        endLine()
    }

    private mutating func centre(_ text: String) {
        let shown = text.fitting(width)
        add(" ", times: (width - shown.printedWidth) / 2)
        add(shown)
        endLine()
    }

    private mutating func pair(_ label: String, _ value: String) {
        let room = width - label.printedWidth - value.printedWidth
        add(label)
        if room >= 1 {
            add(" ", times: room)
            add(value)
            endLine()
            return
        }
        // A long value goes on its own lines.
        endLine()
        var rest = Substring(value)
        while !rest.isEmpty {
            let part = rest.fitting(width - 2)
            add("  ")
            add(part)
            endLine()
            rest = rest[part.endIndex...]
        }
    }
}
