/// Masks for values that their field identifies as card or account numbers.
enum CardMask {
    /// Hides all decimal digits but the first six and the last four. Values of ten digits or fewer stay unchanged.
    static func cardNumber(_ text: String) -> String {
        if let masked = masked(ascii: text, isDigit, keepingFirst: 6, limit: 10) { return masked }
        let places = digitPlaces(text)
        guard places.count > 10 else { return text }
        return hide(Set(places[6..<(places.count - 4)]), in: text)
    }

    /// Hides all letters and digits but the last four.
    static func account(_ text: String) -> String {
        if let masked = masked(ascii: text, isLetterOrDigit, keepingFirst: 0, limit: 4) { return masked }
        var places: [Int] = []
        for (place, scalar) in text.unicodeScalars.enumerated() where scalar.properties.isAlphabetic || isDigit(scalar)
        {
            places.append(place)
        }
        guard places.count > 4 else { return text }
        return hide(Set(places.dropLast(4)), in: text)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }

    /// ASCII text with the bytes that count hidden, except the first and the last four of them; unchanged if no more
    /// than `limit` count. Nil for other text.
    private static func masked(
        ascii text: String,
        _ counts: (UInt8) -> Bool,
        keepingFirst first: Int,
        limit: Int
    ) -> String? {
        var count = 0
        for byte in text.utf8 {
            guard byte < 0x80 else { return nil }
            if counts(byte) { count += 1 }
        }
        guard count > limit else { return text }
        var number = 0
        return String(
            decoding: text.utf8.map { byte in
                guard counts(byte) else { return byte }
                number += 1
                return number > first && number <= count - 4 ? UInt8(ascii: "*") : byte
            },
            as: UTF8.self
        )
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.numericType == .decimal }

    private static func digitPlaces(_ text: String) -> [Int] {
        var places: [Int] = []
        for (place, scalar) in text.unicodeScalars.enumerated() where isDigit(scalar) { places.append(place) }
        return places
    }

    private static func hide(_ places: Set<Int>, in text: String) -> String {
        var masked = String.UnicodeScalarView()
        for (place, scalar) in text.unicodeScalars.enumerated() { masked.append(places.contains(place) ? "*" : scalar) }
        return String(masked)
    }
}
