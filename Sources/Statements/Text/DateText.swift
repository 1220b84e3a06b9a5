import Canonical

/// Reads days and times from their bytes. Nil for other texts. A zone is only returned if the text has one.
enum DateText {
    /// `2026-01-02`, `2026/01/02`, `20260102`, and by `order` `1/2/2026`, `02.01.2026`, `1/2/26`.
    ///
    /// Four digits in front are a year, whatever the order. Years of two digits are 2000 to 2069 and 1970 to 1999.
    static func day(_ text: ArraySlice<UInt8>, order: DateOrder = .yearMonthDay) -> CivilDate? {
        if text.count == 8, text.allSatisfy({ $0 &- 0x30 < 10 }) {
            guard let number = number(text) else { return nil }
            switch order {
            case .yearMonthDay: return CivilDate(year: number / 10_000, month: number / 100 % 100, day: number % 100)
            case .monthDayYear:
                return CivilDate(year: number % 10_000, month: number / 1_000_000, day: number / 10_000 % 100)
            case .dayMonthYear:
                return CivilDate(year: number % 10_000, month: number / 10_000 % 100, day: number / 1_000_000)
            }
        }
        guard let (first, second, third, firstDigits, thirdDigits) = parts(text) else { return nil }
        if firstDigits == 4 { return CivilDate(year: first, month: second, day: third) }
        switch order {
        case .yearMonthDay:
            return firstDigits == 2 ? CivilDate(year: century(first), month: second, day: third) : nil
        case .monthDayYear, .dayMonthYear:
            guard let year = thirdDigits == 4 ? third : thirdDigits == 2 ? century(third) : nil else { return nil }
            let (month, day) = order == .monthDayYear ? (first, second) : (second, first)
            return CivilDate(year: year, month: month, day: day)
        }
    }

    /// Reads three numbers with the same separator: a hyphen, a slash or a point.
    static func parts(_ text: ArraySlice<UInt8>) -> (Int, Int, Int, firstDigits: Int, thirdDigits: Int)? {
        guard let sign = text.first(where: { $0 &- 0x30 >= 10 }) else { return nil }
        guard [UInt8(ascii: "-"), UInt8(ascii: "/"), UInt8(ascii: ".")].contains(sign) else { return nil }
        guard let one = text.firstIndex(of: sign), let two = text[(one + 1)...].firstIndex(of: sign) else { return nil }
        let (first, second, third) = (text[..<one], text[(one + 1)..<two], text[(two + 1)...])
        guard 1...2 ~= second.count, let a = number(first), let b = number(second), let c = number(third) else {
            return nil
        }
        return (a, b, c, first.count, third.count)
    }

    /// `260102`: year of two digits, month, day.
    static func shortDay(_ text: ArraySlice<UInt8>) -> CivilDate? {
        guard text.count == 6, let number = number(text) else { return nil }
        return CivilDate(year: century(number / 10_000), month: number / 100 % 100, day: number % 100)
    }

    /// `2026033`: year and day of the year.
    static func julianDay(_ text: ArraySlice<UInt8>) -> CivilDate? {
        guard text.count == 7, let number = number(text) else { return nil }
        return CivilDate(year: number / 1000, dayOfYear: number % 1000)
    }

    /// Microseconds since midnight of `HH:mm`, `HH:mm:ss`, `HH:mm:ss.ffffff`, `HHmmss`, `HHmm`, `HH.mm.ss`; with `AM`
    /// or `PM` at the end for a twelve-hour clock.
    static func time(_ text: ArraySlice<UInt8>) -> Int64? {
        var rest = text
        var half: UInt8?
        if rest.count > 2, let last = rest.last, last | 0x20 == UInt8(ascii: "m") {
            let sign = rest[rest.endIndex - 2] | 0x20
            guard sign == UInt8(ascii: "a") || sign == UInt8(ascii: "p") else { return nil }
            half = sign
            rest = rest.dropLast(2)
            if rest.last == 0x20 { rest = rest.dropLast() }
        }
        guard var hour = take(&rest) else { return nil }
        let separator: UInt8? = rest.first.flatMap { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") ? $0 : nil }
        func next() -> Int?? {
            guard !rest.isEmpty else { return .some(nil) }
            if let separator {
                guard rest.first == separator else { return nil }
                rest = rest.dropFirst()
            }
            guard let number = take(&rest) else { return nil }
            return .some(number)
        }
        guard let minuteOrNil = next(), let minute = minuteOrNil, let secondOrNil = next() else { return nil }
        let second = secondOrNil ?? 0
        var microsecond = 0
        if let point = rest.first {
            guard point == UInt8(ascii: ".") || point == UInt8(ascii: ","), rest.count > 1, secondOrNil != nil else {
                return nil
            }
            var scale = 100_000
            for byte in rest.dropFirst() {
                guard byte &- 0x30 < 10 else { return nil }
                microsecond += Int(byte - 0x30) * scale
                scale /= 10
            }
        }
        if let half {
            guard 1...12 ~= hour else { return nil }
            hour = hour % 12 + (half == UInt8(ascii: "p") ? 12 : 0)
        }
        guard hour < 24, minute < 60, second < 60 else { return nil }
        return Int64((hour * 60 + minute) * 60 + second) * 1_000_000 + Int64(microsecond)
    }

    /// A day and a time with a blank or a `T` between them, or `yyyyMMddHHmmss`. The text after the seconds is
    /// returned: an offset, a zone's name, or nothing.
    static func dayAndTime(
        _ text: ArraySlice<UInt8>,
        order: DateOrder = .yearMonthDay
    ) -> (wall: Timestamp, rest: ArraySlice<UInt8>)? {
        let digits = text.prefix { $0 &- 0x30 < 10 }
        if digits.count == 14 || digits.count == 17 {
            guard let day = day(digits.prefix(8)), let time = time(digits.dropFirst(8).prefix(6)) else { return nil }
            let milliseconds = digits.count == 17 ? number(digits.suffix(3)) ?? 0 : 0
            return (wall(day, time + Int64(milliseconds) * 1000), text[digits.endIndex...])
        }
        guard let middle = text.firstIndex(where: { $0 == 0x20 || $0 | 0x20 == UInt8(ascii: "t") }),
            let day = day(text[..<middle], order: order)
        else { return nil }
        let rest = text[(middle + 1)...]
        let end =
            rest.firstIndex {
                !($0 &- 0x30 < 10 || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ","))
            } ?? rest.endIndex
        var after = end
        // Accepts `9:30 PM` and `9:30PM`.
        let marker = rest[end...].drop { $0 == 0x20 }.prefix(2).map { $0 | 0x20 }
        if marker == Array("am".utf8) || marker == Array("pm".utf8) {
            after = rest[end...].firstIndex { $0 != 0x20 }.map { $0 + 2 } ?? end
        }
        guard let time = time(rest[..<after]) else { return nil }
        return (wall(day, time), rest[after...])
    }

    /// The time that a clock shows, written as if it were UTC.
    static func wall(_ day: CivilDate, _ microseconds: Int64) -> Timestamp {
        Timestamp(microsecondsSince1970: day.daysSince1970 * 86_400_000_000 + microseconds)
    }

    /// The seconds ahead of UTC of `Z`, `+01:00`, `+0100`, `+01`, `-05:30`.
    static func offset(_ text: ArraySlice<UInt8>) -> Int64? {
        if text.count == 1, text.first.map({ $0 | 0x20 }) == UInt8(ascii: "z") { return 0 }
        guard let sign = text.first, sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") else { return nil }
        let digits = text.dropFirst().filter { $0 != UInt8(ascii: ":") }
        guard digits.count == 2 || digits.count == 4, let value = number(digits[...]) else { return nil }
        let (hours, minutes) = digits.count == 2 ? (value, 0) : (value / 100, value % 100)
        guard hours <= 14, minutes < 60 else { return nil }
        return Int64(hours * 60 + minutes) * 60 * (sign == UInt8(ascii: "-") ? -1 : 1)
    }

    static func century(_ year: Int) -> Int { year < 70 ? 2000 + year : 1900 + year }

    /// A number of one to nine digits.
    static func number(_ text: ArraySlice<UInt8>) -> Int? {
        guard 1...9 ~= text.count else { return nil }
        var value = 0
        for byte in text {
            guard byte &- 0x30 < 10 else { return nil }
            value = value * 10 + Int(byte - 0x30)
        }
        return value
    }

    /// Takes one or two digits; two if a second digit follows.
    private static func take(_ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(2).prefix { $0 &- 0x30 < 10 }
        guard let value = number(digits) else { return nil }
        rest = rest.dropFirst(digits.count)
        return value
    }
}

extension Timestamp {
    /// The day shown by the clock of this time.
    var day: CivilDate {
        let length: Int64 = 86_400_000_000
        let time = (microsecondsSince1970 % length + length) % length
        return CivilDate(daysSince1970: (microsecondsSince1970 - time) / length)
    }
}
