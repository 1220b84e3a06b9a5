extension Timestamp {
    /// Reads `2026-01-02T03:04:05.25+01:00` by RFC 3339.
    ///
    /// The offset is required: `Z` or `±hh:mm`, up to 23:59; `-00:00`, an unknown local offset, counts as UTC. `t` and
    /// `z` are accepted, a space in place of `T` is not. Up to 30 fraction digits are accepted, and cut off after the
    /// sixth. Second 60 is refused: this clock has no leap seconds, and moving such a time would be a guess. Nil also
    /// if the instant is outside the years 0001-9999.
    package init?(rfc3339 text: String) {
        var reader = DigitReader(text)
        guard
            let date = reader.date(separator: UInt8(ascii: "-")),
            reader.skip(UInt8(ascii: "T")) || reader.skip(UInt8(ascii: "t")),
            let time = reader.time(separator: UInt8(ascii: ":")),
            let microsecond = reader.fraction(1...30),
            let offsetMinutes = reader.offsetMinutes(),
            reader.isAtEnd,
            let local = Timestamp(date, time, microsecond)
        else { return nil }
        self.init(exactMicrosecondsSince1970: local.microsecondsSince1970 - Int64(offsetMinutes) * 60_000_000)
    }

    /// Reads `yyyyMMddHHmmss`, optionally with three more digits for milliseconds, as a clock in UTC shows it.
    init?(compact text: String) {
        var reader = DigitReader(text)
        guard
            let date = reader.date(separator: nil),
            let time = reader.time(separator: nil),
            let millisecond = reader.isAtEnd ? 0 : reader.number(digits: 3),
            reader.isAtEnd
        else { return nil }
        self.init(date, time, millisecond * 1000)
    }

    /// Reads `yyyy-MM-ddTHH:mm:ss`, with this separator before the hours, and optionally with a point and one to six
    /// fraction digits, as a clock in UTC shows it.
    init?(unzoned text: String, separator: Unicode.Scalar) {
        var reader = DigitReader(text)
        guard
            let date = reader.date(separator: UInt8(ascii: "-")),
            reader.skip(UInt8(ascii: separator)),
            let time = reader.time(separator: UInt8(ascii: ":")),
            let microsecond = reader.fraction(1...6),
            reader.isAtEnd
        else { return nil }
        self.init(date, time, microsecond)
    }

    private init?(
        _ date: (year: Int, month: Int, day: Int),
        _ time: (hour: Int, minute: Int, second: Int),
        _ microsecond: Int
    ) {
        self.init(
            year: date.year,
            month: date.month,
            day: date.day,
            hour: time.hour,
            minute: time.minute,
            second: time.second,
            microsecond: microsecond
        )
    }

    /// `2026-01-02T03:04:05.000006Z`: always UTC, always six fraction digits, so that texts sort like instants.
    package var rfc3339: String {
        String(unsafeUninitializedCapacity: 27) { write(to: $0) }
    }

    /// Appends `rfc3339` as ASCII.
    package func appendRFC3339(to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 27) { buffer in
            let end = write(to: buffer)
            bytes.append(contentsOf: buffer[..<end])
        }
    }

    private func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let day: Int64 = 86_400_000_000
        let microseconds = (microsecondsSince1970 % day + day) % day
        let date = CivilDate(daysSince1970: (microsecondsSince1970 - microseconds) / day)
        let seconds = Int(microseconds / 1_000_000)
        var end = 0
        func write(_ value: Int, digits: Int, _ separator: Unicode.Scalar) {
            var rest = value
            for position in stride(from: end + digits - 1, through: end, by: -1) {
                buffer[position] = UInt8(0x30 + rest % 10)
                rest /= 10
            }
            buffer[end + digits] = UInt8(ascii: separator)
            end += digits + 1
        }
        write(date.year, digits: 4, "-")
        write(date.month, digits: 2, "-")
        write(date.day, digits: 2, "T")
        write(seconds / 3600, digits: 2, ":")
        write(seconds / 60 % 60, digits: 2, ":")
        write(seconds % 60, digits: 2, ".")
        write(Int(microseconds % 1_000_000), digits: 6, "Z")
        return end
    }
}

/// Reads digits at fixed places.
private struct DigitReader {
    private let bytes: String.UTF8View
    private var position: String.Index

    init(_ text: String) {
        bytes = text.utf8
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    mutating func skip(_ byte: UInt8) -> Bool {
        guard !isAtEnd, bytes[position] == byte else { return false }
        position = bytes.index(after: position)
        return true
    }

    private mutating func digit() -> Int? {
        guard !isAtEnd, bytes[position] &- 0x30 < 10 else { return nil }
        let digit = Int(bytes[position] - 0x30)
        position = bytes.index(after: position)
        return digit
    }

    /// Reads exactly this many digits.
    mutating func number(digits: Int) -> Int? {
        var number = 0
        for _ in 0..<digits {
            guard let digit = digit() else { return nil }
            number = number * 10 + digit
        }
        return number
    }

    private mutating func skip(_ separator: UInt8?) -> Bool {
        guard let separator else { return true }
        return skip(separator)
    }

    mutating func date(separator: UInt8?) -> (year: Int, month: Int, day: Int)? {
        guard
            let year = number(digits: 4), skip(separator),
            let month = number(digits: 2), skip(separator),
            let day = number(digits: 2)
        else { return nil }
        return (year, month, day)
    }

    mutating func time(separator: UInt8?) -> (hour: Int, minute: Int, second: Int)? {
        guard
            let hour = number(digits: 2), skip(separator),
            let minute = number(digits: 2), skip(separator),
            let second = number(digits: 2)
        else { return nil }
        return (hour, minute, second)
    }

    /// Microseconds: zero if there is no point, nil if the number of digits after it is not in `digitCounts`.
    mutating func fraction(_ digitCounts: ClosedRange<Int>) -> Int? {
        guard skip(UInt8(ascii: ".")) else { return 0 }
        var microseconds = 0
        var count = 0
        while count <= digitCounts.upperBound, let digit = digit() {
            if count < 6 { microseconds = microseconds * 10 + digit }
            count += 1
        }
        guard digitCounts ~= count else { return nil }
        for _ in 0..<max(6 - count, 0) { microseconds *= 10 }
        return microseconds
    }

    mutating func offsetMinutes() -> Int? {
        if skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
        let isWest = skip(UInt8(ascii: "-"))
        guard
            isWest || skip(UInt8(ascii: "+")),
            let hours = number(digits: 2), hours < 24,
            skip(UInt8(ascii: ":")),
            let minutes = number(digits: 2), minutes < 60
        else { return nil }
        return (isWest ? -1 : 1) * (hours * 60 + minutes)
    }
}
