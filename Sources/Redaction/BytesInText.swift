import EMV

/// Bytes written as text: hexadecimal digits, or Base64, in which Swift's `JSONEncoder` writes `Data`.
enum BytesInText {
    /// True for hexadecimal digits, with blanks, colons or hyphens between them, in angle brackets or after `0x`.
    /// Digits that a scrubber has hidden count as well.
    static func isHexadecimal(_ text: String) -> Bool { hexadecimalDigits(text) != nil }

    /// The number of hexadecimal digits in the text; nil if it contains anything else.
    private static func hexadecimalDigits(_ text: String) -> Int? {
        var rest = text.replacing(TextEdits.marker, with: "")[...]
        if rest.hasPrefix("0x") || rest.hasPrefix("0X") { rest = rest.dropFirst(2) }
        var count = 0
        for byte in rest.utf8 {
            if Hexadecimal.nibble(byte) != nil || byte == 0x2A {
                count += 1
            } else if ![0x09, 0x0A, 0x0D, 0x20, 0x2D, 0x3A, 0x3C, 0x3E].contains(byte) {
                return nil
            }
        }
        return count
    }

    /// True if the text is the Base64 of at least this many bytes. A short text of letters alone counts as a word.
    static func isBase64(_ text: String, bytes: Int) -> Bool {
        let isWord = text.utf8.count < 16 && text.utf8.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
        return !isWord && base64(text).map { $0.count >= bytes } ?? false
    }

    /// True for a text that can be the bytes of at least one cipher block. A word of letters alone cannot be: Base64 of
    /// a block ends in `=` or is long enough to contain a digit.
    static func canBeBlock(_ text: String) -> Bool {
        if let digits = hexadecimalDigits(text) { return digits >= 12 }
        var count = 0
        var isWord = true
        for byte in text.utf8 {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: break
            case 0x30...0x39, 0x2B, 0x2D, 0x2F, 0x3D, 0x5F: isWord = false
            case 0x0A, 0x0D: continue
            default: return false
            }
            count += 1
        }
        return count >= 12 && !isWord
    }

    /// True if a card number can be read in the text, or in the bytes that its Base64 encodes.
    static func hidesCardNumber(_ text: String) -> Bool {
        CardNumber.isHidden(in: text) || hidesEncodedCardNumber(text)
    }

    /// The text with a marker in place of every Base64 run whose bytes contain a card number; nil if there is none.
    static func hidingEncodedCardNumbers(in text: String) -> String? {
        var hidden = String.UnicodeScalarView()
        var run = String.UnicodeScalarView()
        var found = false
        func isPart(_ scalar: Unicode.Scalar) -> Bool {
            // JSON may escape a slash with a backslash.
            scalar.properties.isASCIIHexDigit || ("A"..."Z").contains(scalar) || ("a"..."z").contains(scalar)
                || "+/-_=\\".unicodeScalars.contains(scalar)
        }
        func endRun() {
            let letters = String(run.filter { $0 != "\\" })
            if letters.utf8.count >= 10, hidesEncodedCardNumber(letters) {
                hidden.append(contentsOf: TextEdits.marker.unicodeScalars)
                found = true
            } else {
                hidden.append(contentsOf: run)
            }
            run.removeAll()
        }
        for scalar in text.unicodeScalars {
            if isPart(scalar) {
                run.append(scalar)
            } else {
                endRun()
                hidden.append(scalar)
            }
        }
        endRun()
        return found ? String(hidden) : nil
    }

    private static func hidesEncodedCardNumber(_ text: String) -> Bool {
        guard let bytes = base64(text) else { return false }
        return CardNumber.isHidden(in: Hexadecimal.text(bytes))
            || CardNumber.isHidden(in: String(decoding: bytes, as: UTF8.self))
    }

    /// The bytes of a Base64 text in either alphabet, with or without padding; nil for any other text.
    private static func base64(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        var isPadded = false
        for byte in text.utf8 {
            let value: UInt8
            switch byte {
            case 0x41...0x5A: value = byte - 0x41
            case 0x61...0x7A: value = byte - 0x61 + 26
            case 0x30...0x39: value = byte - 0x30 + 52
            case 0x2B, 0x2D: value = 62
            case 0x2F, 0x5F: value = 63
            case 0x3D:
                isPadded = true
                continue
            case 0x0A, 0x0D: continue
            default: return nil
            }
            guard !isPadded else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 {
                bytes += [UInt8(bits >> 16 & 0xFF), UInt8(bits >> 8 & 0xFF), UInt8(bits & 0xFF)]
                bits = 0
            }
        }
        switch count % 4 {
        case 1: return nil
        case 2: bytes.append(UInt8(bits >> 4 & 0xFF))
        case 3: bytes += [UInt8(bits >> 10 & 0xFF), UInt8(bits >> 2 & 0xFF)]
        default: break
        }
        return bytes
    }
}
