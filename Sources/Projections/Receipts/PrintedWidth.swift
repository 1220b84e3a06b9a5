extension Character {
    /// The number of columns of the character in monospaced print: 2 for wide ideographs, syllables and emoji
    /// (Unicode Standard Annex 11), 1 for everything else. Combining marks take no column.
    var printedWidth: Int {
        var width = 0
        for scalar in unicodeScalars {
            // An emoji presentation, and each pair of flag letters, is two columns wide.
            if scalar == "\u{FE0F}" || scalar.properties.isEmojiPresentation { return 2 }
            width += scalar.printedWidth
        }
        return max(1, width)
    }
}

extension StringProtocol {
    /// The number of columns of the text in monospaced print.
    var printedWidth: Int {
        // Fast path: most printed text is ASCII, with one column per byte.
        var count = 0
        for byte in utf8 {
            guard byte < 0x80 else { return reduce(0) { $0 + $1.printedWidth } }
            count += 1
        }
        return count
    }

    /// The longest prefix that fits into `width` columns.
    func fitting(_ width: Int) -> SubSequence {
        if printedWidth <= width { return self[...] }
        var taken = 0
        return prefix { character in
            taken += character.printedWidth
            return taken <= width
        }
    }
}

extension Unicode.Scalar {
    /// Blocks of East Asian wide and full-width characters, other than emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
        0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF,
        0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]

    fileprivate var printedWidth: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        // Hangul vowels and final consonants join the preceding consonant.
        if (0x1160...0x11FF).contains(value) { return 0 }
        return Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
}
