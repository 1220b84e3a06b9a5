package import Payments

/// A receipt as monospaced text.
package struct ReceiptText: Sendable {
    package typealias Copy = ReceiptCopy

    /// The widths a printer may have, in characters.
    package static let widths = 24...80

    private let width: Int
    private var lines: [String] = []

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
        return text.lines.joined(separator: "\n") + "\n"
    }

    private init(width: Int) { self.width = width }

    private mutating func write(_ layout: ReceiptLayout) {
        centre(layout.title)
        if let mark = layout.mark { centre("*** \(mark) ***") }
        for group in layout.groups + [layout.amounts] where !group.lines.isEmpty {
            rule()
            for line in group.lines { pair(line.label, line.value) }
        }
        for label in layout.blanks {
            lines.append("")
            lines.append(label + " " + String(repeating: "_", count: width - label.count - 1))
        }
        rule()
        for statement in layout.statements { centre(statement) }
        if layout.isSigned {
            lines.append("")
            lines.append("x" + String(repeating: "_", count: width - 1))
            centre("SIGNATURE")
        }
        centre(layout.footer)
    }

    private mutating func rule() { lines.append(String(repeating: "-", count: width)) }

    private mutating func centre(_ text: String) {
        let shown = text.fitting(width)
        lines.append(String(repeating: " ", count: (width - shown.printedWidth) / 2) + shown)
    }

    private mutating func pair(_ label: String, _ value: String) {
        let room = width - label.count - value.printedWidth
        if room >= 1 {
            lines.append(label + String(repeating: " ", count: room) + value)
            return
        }
        // A long value goes on its own lines.
        lines.append(label)
        var rest = Substring(value)
        while !rest.isEmpty {
            let part = rest.fitting(width - 2)
            lines.append("  " + part)
            rest = rest.dropFirst(part.count)
        }
    }
}
