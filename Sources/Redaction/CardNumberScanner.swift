/// Finds card numbers and track data by their form, anywhere in a text.
///
/// A card number is
/// 1. an unbroken run of 13 to 19 digits that passes the Luhn check, whatever its prefix, except a calendar time of 14
///    or 17 digits and the digits of an EMV application identifier (`A0000...`);
/// 2. digits that pass the Luhn check and are in an issuer's range: at either end of an unbroken run of up to 19 digits
///    (a number with its CVV or an escape's digits attached), or anywhere in a longer run or in one broken by
///    separators. The Luhn check alone would match a tenth of all such digits;
/// 3. a run of 13 to 19 digits that passes the Luhn check, broken by one kind of separator into groups of three or
///    more.
///
/// Track data is found by its field separator and needs no check digit. The time is linear in the length of the text:
/// the number of windows tried at each place is bounded by a constant.
struct CardNumberScanner {
    private let units: TextUnits
    /// The digits of the current run, and their places.
    private var digits: [UInt8] = []
    private var places: [Int] = []
    private var edits: TextEdits

    static func scan(_ units: TextUnits, into edits: inout TextEdits) {
        var scanner = CardNumberScanner(units: units, edits: edits)
        scanner.run()
        edits = scanner.edits
    }

    private init(units: TextUnits, edits: TextEdits) {
        self.units = units
        self.edits = edits
    }

    private mutating func run() {
        var index = 0
        while index < units.count {
            guard units.kinds[index] < 10 else {
                index += 1
                continue
            }
            index = collectRun(from: index)
            guard digits.count >= 12 else { continue }
            scanTracks()
            scanBlocks()
            scanBrokenRun()
        }
    }

    /// The place of the next digit after at most two separators; nil at the end of the run.
    private func nextDigit(after index: Int) -> Int? {
        var next = index + 1
        while next < units.count, next - index <= 2, units.kinds[next] == TextUnits.separator { next += 1 }
        return next < units.count && units.kinds[next] < 10 ? next : nil
    }

    private mutating func collectRun(from start: Int) -> Int {
        digits.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        var next: Int? = start
        var last = start
        while let place = next {
            digits.append(units.kinds[place])
            places.append(place)
            last = place
            next = nextDigit(after: place)
        }
        return last + 1
    }

    /// Masks all but the first six and last four digits of a window of the run.
    private mutating func mask(_ window: Range<Int>) {
        for offset in (window.lowerBound + 6)..<(window.upperBound - 4) {
            edits.mask(places[offset], of: units, rule: .pan)
        }
    }

    private mutating func maskIssued(_ start: Int, lengths: ClosedRange<Int>, within bound: Int) {
        guard start >= 0 else { return }
        for length in lengths where start + length <= bound && CardNumber.isIssued(digits[start..<(start + length)]) {
            mask(start..<(start + length))
        }
    }

    // MARK: Unbroken digits

    private mutating func scanBlocks() {
        var start = 0
        while start < digits.count {
            var end = start + 1
            while end < digits.count, places[end] == places[end - 1] + 1 { end += 1 }
            scanBlock(start..<end)
            start = end
        }
    }

    private mutating func scanBlock(_ block: Range<Int>) {
        guard block.count >= CardNumber.lengths.lowerBound else { return }
        if block.count > CardNumber.lengths.upperBound {
            for start in block { maskIssued(start, lengths: CardNumber.lengths, within: block.upperBound) }
            return
        }
        let value = digits[block]
        guard !CardNumber.isCalendarTime(value) else { return }
        if CardNumber.passesLuhn(value), !isApplicationIdentifier(block) { mask(block) }
        // Thirteen digits at either end of a longer number are too weak as evidence: cards with 13 digits have not been
        // in use for a long time.
        for length in 14..<max(14, block.count) {
            maskIssued(block.lowerBound, lengths: length...length, within: block.upperBound)
            maskIssued(block.upperBound - length, lengths: length...length, within: block.upperBound)
        }
    }

    /// EMV tag 4F: an international registered identifier begins `A0000`; no card number begins with zeros.
    private func isApplicationIdentifier(_ block: Range<Int>) -> Bool {
        let before = places[block.lowerBound] - 1
        return before >= 0 && (units.values[before] == 0x41 || units.values[before] == 0x61)
            && digits[block].prefix(4).allSatisfy { $0 == 0 }
    }

    // MARK: Digits with separators between

    private mutating func scanBrokenRun() {
        guard let first = places.first, let last = places.last, last - first + 1 > places.count else { return }
        for start in digits.indices { maskIssued(start, lengths: CardNumber.lengths, within: digits.count) }
        guard CardNumber.lengths.contains(digits.count), isEvenlyGrouped, CardNumber.passesLuhn(digits) else { return }
        mask(0..<digits.count)
    }

    /// One kind of separator, and groups of at least three digits (the last may be shorter).
    private var isEvenlyGrouped: Bool {
        var separator: UInt32?
        var group = 1
        for offset in 1..<places.count {
            let gap = places[offset] - places[offset - 1]
            if gap == 1 {
                group += 1
                continue
            }
            let value = units.values[places[offset] - 1]
            guard gap == 2, group >= 3, separator == nil || separator == value else { return false }
            separator = value
            group = 1
        }
        return true
    }

    // MARK: Tracks

    private func value(_ index: Int) -> UInt32? {
        index >= 0 && index < units.count ? units.values[index] : nil
    }

    private mutating func scanTracks() {
        guard let first = places.first, let last = places.last else { return }
        var next = last + 1
        while next < units.count, next - last <= 2, units.kinds[next] == TextUnits.separator { next += 1 }
        switch value(next) {
        case 0x5E: scanFirstTrack(start: first, caret: next)  // ^
        case 0x3D, 0x44, 0x64: scanSecondTrack(start: first, separator: next)  // = D d
        default: break
        }
    }

    /// `%B4111111111111111^DOE/JOHN^2512101...?` (ISO/IEC 7813).
    private mutating func scanFirstTrack(start: Int, caret: Int) {
        var start = start
        let format = value(start - 1).map { (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) } ?? false
        var end = caret + 1
        var hasName = false
        while end < units.count, end - caret <= 120 {
            let value = units.values[end]
            if value == 0x0A || value == 0x0D || value == 0x22 { break }
            end += 1
            if value == 0x5E { hasName = true }
            if value == 0x3F { break }
        }
        guard format || hasName else { return }
        if format {
            start -= 1
            if value(start - 1) == 0x25 { start -= 1 }
        }
        edits.drop(start..<end, of: units, rule: .track)
    }

    /// `;4111111111111111=2512101...?` and its chip form `4111111111111111D2512101...F`.
    private mutating func scanSecondTrack(start: Int, separator: Int) {
        var tail: [UInt8] = []
        var end = separator
        while tail.count < 40, let next = nextDigit(after: end) {
            tail.append(units.kinds[next])
            end = next
        }
        let hasSentinel = value(start - 1) == 0x3B && units.values[separator] == 0x3D
        if !hasSentinel {
            guard tail.count >= 4, (1...12).contains(Int(tail[2]) * 10 + Int(tail[3])) else { return }
            guard tail.count >= 7 || endsInCardNumber else { return }
        }
        end += 1
        while let value = value(end), value == 0x46 || value == 0x66 { end += 1 }
        if value(end) == 0x3F { end += 1 }
        // In a long run of TLV digits only the last nineteen can be the card number.
        let from = places.count <= 26 ? start : places[places.count - 19]
        edits.drop((hasSentinel ? start - 1 : from)..<end, of: units, rule: .track)
    }

    private var endsInCardNumber: Bool {
        CardNumber.lengths.contains { length in
            digits.count >= length && CardNumber.passesLuhn(digits.suffix(length))
        }
    }
}
