/// Masks card numbers in texts of a file.
enum CardDigits {
    /// The lengths of card numbers in practice, by ISO/IEC 7812.
    private static let lengths = 13...19

    /// The text with every run of 13 to 19 digits that passes the check digit reduced to its first six and last four.
    /// Single blanks and hyphens between digits do not end a run. Nil if there is nothing to mask.
    static func masked(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var masked: [UInt8]?
        var places: [Int] = []
        var gap = 0
        func hide() {
            guard let hidden = hiddenPlaces(places, text) else { return }
            var bytes = masked ?? Array(text)
            for place in hidden { bytes[place - text.startIndex] = UInt8(ascii: "*") }
            masked = bytes
        }
        guard text.count >= lengths.lowerBound else { return nil }
        for place in text.indices {
            let byte = text[place]
            if byte &- 0x30 < 10 {
                places.append(place)
                gap = 0
            } else if byte == 0x20 || byte == UInt8(ascii: "-"), !places.isEmpty, gap == 0 {
                gap = 1
            } else {
                if places.count >= lengths.lowerBound { hide() }
                places.removeAll(keepingCapacity: true)
                gap = 0
            }
        }
        if places.count >= lengths.lowerBound { hide() }
        return masked
    }

    /// The places of a run's digits to mask. A run joined over blanks may contain a card number among other digits, so
    /// every stretch is tried that begins and ends where a stretch of digits does.
    private static func hiddenPlaces(_ places: [Int], _ text: ArraySlice<UInt8>) -> [Int]? {
        var starts = [0]
        var ends: [Int] = []
        for index in places.indices.dropFirst() where places[index] != places[index - 1] + 1 {
            starts.append(index)
            ends.append(index)
        }
        ends.append(places.count)
        var hidden: [Int] = []
        for start in starts {
            // The longest first: a number of 16 digits contains no other.
            for end in ends.reversed() where lengths.contains(end - start) {
                let run = places[start..<end]
                guard passesLuhn(run, text) else { continue }
                hidden += run.dropFirst(6).dropLast(4)
                break
            }
        }
        return hidden.isEmpty ? nil : hidden
    }

    private static func passesLuhn(_ places: ArraySlice<Int>, _ text: ArraySlice<UInt8>) -> Bool {
        var sum = 0
        var isDoubled = false
        for place in places.reversed() {
            var value = Int(text[place] - 0x30)
            if isDoubled {
                value *= 2
                if value > 9 { value -= 9 }
            }
            sum += value
            isDoubled.toggle()
        }
        return sum.isMultiple(of: 10)
    }

    /// The last four digits of a field with a card number, masked or not; nil if it does not end with four digits.
    static func lastFour(_ text: ArraySlice<UInt8>) -> String? {
        let last = text.suffix(4)
        guard last.count == 4, last.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return String(decoding: last, as: UTF8.self)
    }
}
