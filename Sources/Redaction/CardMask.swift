/// Masks for values that their field identifies as card or account numbers.
enum CardMask {
    /// Hides all decimal digits but the first six and the last four. Values of ten digits or fewer stay unchanged.
    static func cardNumber(_ text: String) -> String {
        let places = digitPlaces(text)
        guard places.count > 10 else { return text }
        return hide(Set(places[6..<(places.count - 4)]), in: text)
    }

    /// Hides all letters and digits but the last four.
    static func account(_ text: String) -> String {
        var places: [Int] = []
        for (place, scalar) in text.unicodeScalars.enumerated() where scalar.properties.isAlphabetic || isDigit(scalar)
        {
            places.append(place)
        }
        guard places.count > 4 else { return text }
        return hide(Set(places.dropLast(4)), in: text)
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
