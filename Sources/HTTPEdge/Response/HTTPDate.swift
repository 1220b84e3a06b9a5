package import Canonical

/// The date format of HTTP (RFC 9110 section 5.6.7), such as `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The time in whole seconds; the fraction is cut off.
    package static func text(_ time: Timestamp) -> String {
        // RFC 3339 in UTC is `yyyy-MM-ddTHH:mm:ss`, with fixed positions.
        let digits = Array(time.rfc3339.utf8)
        func piece(_ range: Range<Int>) -> String { String(decoding: digits[range], as: UTF8.self) }
        let seconds = time.microsecondsSince1970.floorDivided(by: 1_000_000)
        let day = Int(seconds.floorDivided(by: 86_400) - 7 * seconds.floorDivided(by: 7 * 86_400))
        let month = Int(piece(5..<7)).map { months[$0 - 1] } ?? ""
        return "\(days[day]), \(piece(8..<10)) \(month) \(piece(0..<4)) \(piece(11..<19)) GMT"
    }
}

extension Int64 {
    /// Rounds down, also before 1970.
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, rest) = quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
