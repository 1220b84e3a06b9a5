/// A dialect of CSV. Both dialects quote as RFC 4180 does, are read back by `CSVReader`, and lose nothing.
package enum CSVDialect: String, Sendable, Hashable, CaseIterable {
    /// The values as they are; lines end with a line feed.
    case raw
    /// For spreadsheets, which interpret text as formulas and digits as numbers: with a byte order mark and CRLF, and
    /// an apostrophe before every text that would be misinterpreted.
    case excel

    /// The bytes before the first row.
    package var beginning: [UInt8] { self == .excel ? [0xEF, 0xBB, 0xBF] : [] }

    var lineEnd: [UInt8] { self == .excel ? [0x0D, 0x0A] : [0x0A] }

    /// One row, with its line end.
    package func line(_ cells: [Cell]) -> [UInt8] {
        var bytes: [UInt8] = []
        append(cells, to: &bytes)
        return bytes
    }

    /// Appends a row, with its line end.
    package func append(_ cells: some Sequence<Cell>, to bytes: inout [UInt8]) {
        var isFirst = true
        for cell in cells {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            append(cell, to: &bytes)
        }
        bytes.append(contentsOf: lineEnd)
    }

    private func append(_ cell: Cell, to bytes: inout [UInt8]) {
        let (text, isGuarded): (String, Bool)
        switch cell {
        case .absent: return
        case .text(let value): (text, isGuarded) = (value, self == .excel && Self.isTakenForSomethingElse(value))
        case .number(let value): (text, isGuarded) = (value, self == .excel && Self.isTooLong(value))
        }
        guard Self.needsQuotes(text) else {
            if isGuarded { bytes.append(Self.guardByte) }
            bytes.append(contentsOf: text.utf8)
            return
        }
        bytes.append(UInt8(ascii: "\""))
        if isGuarded { bytes.append(Self.guardByte) }
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }

    static let guardByte = UInt8(ascii: "'")

    /// A spreadsheet loses further digits, because it calculates in floating point.
    private static let exactDigits = 15

    private static func isTooLong(_ number: String) -> Bool {
        number.utf8.count { (0x30...0x39).contains($0) } > exactDigits
    }

    /// True for text with separators of either kind, quotes or line ends, and with blanks at the ends, which some
    /// readers drop. An empty text is quoted to distinguish it from an absent value.
    private static func needsQuotes(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last else { return true }
        if first == 0x20 || last == 0x20 { return true }
        return text.utf8.contains { byte in
            switch byte {
            case 0x22, 0x2C, 0x3B, 0x09, 0x0A, 0x0D: true
            default: false
            }
        }
    }

    /// True for text that a spreadsheet would calculate, or show as another number, as a time or without its zeros.
    /// Text that begins with an apostrophe is included, so that a leading apostrophe is always one added here.
    private static func isTakenForSomethingElse(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard let first = scalars.first else { return false }
        if first == "'" { return true }
        guard
            let begin = scalars.first(where: { !$0.properties.isWhitespace && $0.properties.generalCategory != .format }
            )
        else { return first == "\t" || first == "\r" || first == "\n" }
        switch begin {
        // Also their full-width forms, which some spreadsheets treat the same.
        case "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}", "|", "%": return true
        default: break
        }
        if first == "\t" || first == "\r" || first == "\n" { return true }
        return isLikeFigure(scalars)
    }

    /// Words that make a text a date, a time or a truth value.
    private static let figureWords: Set<String> = [
        "e", "am", "pm", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "sept", "oct", "nov",
        "dec", "january", "february", "march", "april", "june", "july", "august", "september", "october", "november",
        "december",
    ]

    /// True for digits with the characters of numbers, dates and times: `007`, `1E5`, `3-4`, `12:30`, `1.5`, `SEP1`, `5
    /// Jan`; and for `TRUE`.
    private static func isLikeFigure(_ scalars: String.UnicodeScalarView) -> Bool {
        var hasDigit = false
        var word = ""
        func isKnown() -> Bool { word.isEmpty || figureWords.contains(word) }
        for scalar in scalars {
            switch scalar {
            case "a"..."z", "A"..."Z":
                word.append(Character(scalar.properties.lowercaseMapping))
                continue
            default:
                guard isKnown() else { return false }
                word = ""
            }
            switch scalar {
            case "0"..."9": hasDigit = true
            case ".", ",", ":", "/", "-", "+", " ", "\u{A0}", "$", "%", "(", ")": continue
            default: return false
            }
        }
        return hasDigit ? isKnown() : ["true", "false"].contains(word) && scalars.count == word.count
    }
}
